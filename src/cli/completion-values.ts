import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isSafeKey } from '../core/registry/app-key.ts';
import { CHECK_COMMANDS } from '../core/engine/report.ts';
import { FORMATS } from '../report/options.ts';
import { CI_SYSTEMS, HOSTS, LEVELS, SHELLS, STORES } from './choices.ts';
import { configAtRest } from './config/config.ts';
import { RESULT_FORMATS } from './format.ts';

/** What may stand for a value, by what the help calls it. */

export interface Offer {
  candidates: { value: string; about?: string }[];
  /** What else the shell may offer, from its own sight of the disk. */
  otherwise?: 'files' | 'folders';
  /** The word goes on behind the candidate. */
  open?: boolean;
}

export interface Where {
  /** The name of the command; empty in front of it. */
  command: string;
  /** What --cwd and --config say, as typed. */
  cwd: string | null;
  config: string | null;
}

type Kind = (where: Where, text: string) => Offer | Promise<Offer>;

const FREE: Kind = () => ({ candidates: [] });
const FILES: Kind = () => ({ candidates: [], otherwise: 'files' });
const FOLDERS: Kind = () => ({ candidates: [], otherwise: 'folders' });
const words =
  (all: readonly string[]): Kind =>
  () => ({ candidates: all.map((value) => ({ value })) });

/** Kinds by name; with the command's name before them where it makes a difference. */
const KINDS: Record<string, Kind> = {
  'add-app key': FREE,
  'init path': FREE,
  after: FILES,
  app: appKeys,
  before: FILES,
  dir: FOLDERS,
  'dir|git-ref|file|url': FILES,
  entry: FILES,
  'facts.json': FILES,
  file: FILES,
  'file|url': FILES,
  folder: FOLDERS,
  format: ({ command }) =>
    words((CHECK_COMMANDS as readonly string[]).includes(command) ? FORMATS : RESULT_FORMATS)({} as Where, ''),
  glob: FILES,
  host: words(HOSTS),
  'id=level': ruleLevels,
  key: appKeys,
  output: FILES,
  path: FILES,
  'registry-url': registryUrl,
  'service host': words(['localhost']),
  shell: words(SHELLS),
  system: words(CI_SYSTEMS),
  type: words(STORES),
  version: words(['major', 'minor', 'patch']),
  'url|facts.json': async (where) => ({ ...(await registryUrl(where)), otherwise: 'files' }),
  'diagnose version': FREE,
  'web|worker': words(['web', 'worker']),
  where: FILES,
  which: words(['all', 'latest']),
};
const FREE_NAMES =
  '#RRGGBB ENVVAR address base_url bucket duration endpoint header i/n n name name.json name=ENVVAR name|url origin prefix range region s target text url';
for (const name of FREE_NAMES.split(' ')) KINDS[name] = FREE;

/** True for a name that has its line in the table. */
export function isKind(name: string): boolean {
  return name === 'command' || Object.hasOwn(KINDS, name);
}

/** What may stand for a value that the help calls `name`; nothing for names that are not known. */
export async function valuesOf(name: string, where: Where, text: string): Promise<Offer> {
  const kind = KINDS[`${where.command} ${name}`] ?? (Object.hasOwn(KINDS, name) ? KINDS[name]! : FREE);
  return kind(where, text);
}

/** First the rule's id, then its level. */
async function ruleLevels(_: Where, text: string): Promise<Offer> {
  const at = text.indexOf('=');
  if (at !== -1) return { candidates: LEVELS.map((level) => ({ value: text.slice(0, at + 1) + level })) };
  const { rules } = await import('../core/rules/index.ts');
  return { candidates: rules.map(({ id, why }) => ({ value: `${id}=`, about: why })), open: true };
}

const LARGEST_MANIFEST = 4_000_000;

/** The keys of the workspace's manifest. Others than URL-safe ones never reach a command line. */
async function appKeys(where: Where): Promise<Offer> {
  const workspace = await workspaceOf(where);
  const path = resolve(workspace.root, workspace.manifest);
  try {
    if (statSync(path).size > LARGEST_MANIFEST) return { candidates: [] };
    const apps: unknown = JSON.parse(readFileSync(path, 'utf8')).apps;
    return {
      candidates: Object.keys(apps as object)
        .filter(isSafeKey)
        .map((value) => ({ value })),
    };
  } catch {
    // Nothing to offer is no error at Tab; the command itself will say what is wrong.
    return { candidates: [] };
  }
}

/** The address of the workspace's own manifest, unless the shell would read more into it. */
async function registryUrl(where: Where): Promise<Offer> {
  const { baseUrl, manifest } = await workspaceOf(where);
  const url = `${baseUrl}${manifest}`;
  return { candidates: /^https?:\/\/[\w.:/%~+-]+$/.test(url) ? [{ value: url }] : [] };
}

async function workspaceOf({ cwd, config }: Where): Promise<{ root: string; manifest: string; baseUrl: string }> {
  const from = resolve(cwd ?? '.');
  const found = await configAtRest(from, config);
  const { manifest = 'registry.json', baseUrl = '' } = found?.config ?? {};
  return { root: found?.root ?? from, manifest: String(manifest), baseUrl: String(baseUrl) };
}
