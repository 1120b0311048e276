import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isSafeKey } from '../core/registry/app-key.ts';
import { CHECK_COMMANDS } from '../core/engine/report.ts';
import { FORMATS } from '../report/options.ts';
import { CI_SYSTEMS, HOSTS, LEVELS, SHELLS, STORES } from './choices.ts';
import { configAtRest } from './config/config.ts';
import { RESULT_FORMATS } from './format.ts';

/** Completion candidates for a value, by its name in the help. */

export interface Offer {
  candidates: { value: string; about?: string }[];
  /** What else the shell may offer from the file system. */
  otherwise?: 'files' | 'folders';
  /** The word continues after the candidate. */
  open?: boolean;
}

export interface Where {
  /** The name of the command; empty before it. */
  command: string;
  /** The values of --cwd and --config, as typed. */
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

/** Kinds by name, prefixed with the command's name if they differ between commands. */
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

/** True for a name in the table. */
export function isKind(name: string): boolean {
  return name === 'command' || Object.hasOwn(KINDS, name);
}

/** Candidates for the value named `name` in the help; none for unknown names. */
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

/** The keys of the workspace's manifest; only URL-safe ones can be completed. */
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
    // Nothing to offer is not an error at Tab; the command itself reports errors.
    return { candidates: [] };
  }
}

/** The URL of the workspace's own manifest, unless the shell would interpret a part of it. */
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
