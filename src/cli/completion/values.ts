import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isSafeKey } from '../../core/registry/app-key.ts';
import { isObject, type JsonValue, member } from '../../core/json/json.ts';
import { FORMATS, type Format } from '../../report/options.ts';
import { type Choices, LEVELS } from '../define/choices.ts';
import type { ValueKind } from '../define/command.ts';
import { COMMANDS } from '../commands/index.ts';
import { rawConfig } from '../config/config.ts';

/** Completion candidates for a value on the command line. */

export interface Completion {
  candidates: Candidate[];
  /** Candidates that the shell may add from the file system. */
  fromFileSystem?: 'files' | 'folders';
  /** The word continues after the candidate. */
  continues?: boolean;
}

interface Candidate {
  value: string;
  description?: string;
}

export interface CompletionContext {
  /** The name of the command; empty before it. */
  command: string;
  /** The values of --cwd and --config, as typed. */
  cwd: string | null;
  config: string | null;
}

type Completer = (context: CompletionContext, text: string) => Completion | Promise<Completion>;

const nothing: Completer = () => ({ candidates: [] });
const files: Completer = () => ({ candidates: [], fromFileSystem: 'files' });
const folders: Completer = () => ({ candidates: [], fromFileSystem: 'folders' });

const COMPLETERS: Record<ValueKind, Completer> = {
  any: nothing,
  text: nothing,
  'app-key': appKeys,
  'new-app-key': nothing,
  'new-version': () => oneOf(['major', 'minor', 'patch']),
  file: files,
  folder: folders,
  archive: files,
  icon: files,
  color: nothing,
  'manifest-name': nothing,
  'base-url': nothing,
  url: nothing,
  'artifact-url': nothing,
  'service-url': nothing,
  origin: nothing,
  bucket: nothing,
  'registry-url': registryUrl,
  'registry-url-or-facts': async (context) => ({ ...(await registryUrl(context)), fromFileSystem: 'files' }),
  'file-or-url': files,
  'registry-state': files,
  'version-range': () => oneOf(['all', 'latest']),
  'loopback-host': () => oneOf(['localhost']),
  format: ({ command }) => oneOf(formatsOf(command)),
  'format-and-file': ({ command }) => ({
    candidates: formatsOf(command).map((format) => ({ value: `${format}=` })),
    continues: true,
  }),
  'rule-level': ruleLevels,
  'rule-or-error': rulesAndErrors,
};

/** Lists the candidates for a value that starts with `text`. */
export async function completionFor(
  value: ValueKind | Choices,
  context: CompletionContext,
  text: string,
): Promise<Completion> {
  return typeof value === 'string' ? COMPLETERS[value](context, text) : oneOf(value);
}

function oneOf(choices: Choices): Completion {
  return { candidates: choices.map((value) => ({ value })) };
}

/** The formats of a command; all of them before its name. */
function formatsOf(command: string): readonly Format[] {
  return COMMANDS.find(({ definition }) => definition.name === command)?.definition.formats ?? FORMATS;
}

/** First the rule's id, then its level. */
async function ruleLevels(_: CompletionContext, text: string): Promise<Completion> {
  const separator = text.indexOf('=');
  if (separator !== -1) return oneOf(LEVELS.map((level) => text.slice(0, separator + 1) + level));
  const { rules } = await import('../../core/rules/index.ts');
  return { candidates: rules.map(({ id, why }) => ({ value: `${id}=`, description: why })), continues: true };
}

/** The ids of all rules, then the error codes that are not the id of a rule. */
async function rulesAndErrors(): Promise<Completion> {
  const [{ rules }, { ERRORS }] = await Promise.all([
    import('../../core/rules/index.ts'),
    import('../../core/errors/codes/index.ts'),
  ]);
  const known = new Set(rules.map(({ id }) => id));
  const codes = Object.entries(ERRORS).filter(([code]) => !known.has(code));
  return {
    candidates: [
      ...rules.map(({ id, why }) => ({ value: id, description: why })),
      ...codes.map(([value, { title }]) => ({ value, description: title })),
    ],
  };
}

const MAX_MANIFEST_BYTES = 4_000_000;

/** The keys of the workspace's manifest; only URL-safe ones can be completed. */
async function appKeys(context: CompletionContext): Promise<Completion> {
  const workspace = await workspaceAt(context);
  const path = resolve(workspace.root, workspace.manifest);
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > MAX_MANIFEST_BYTES) return { candidates: [] };
    const manifest: JsonValue = JSON.parse(readFileSync(path, 'utf8'));
    const apps = member(manifest, 'apps');
    return oneOf(isObject(apps) ? Object.keys(apps).filter(isSafeKey) : []);
  } catch {
    // A workspace that cannot be read is not an error at Tab; the command itself reports errors.
    return { candidates: [] };
  }
}

/** The URL of the workspace's own manifest, unless the shell would interpret a part of it. */
async function registryUrl(context: CompletionContext): Promise<Completion> {
  const { baseUrl, manifest } = await workspaceAt(context);
  const url = `${baseUrl}${manifest}`;
  return oneOf(/^https?:\/\/[\w.:/%~+-]+$/.test(url) ? [url] : []);
}

async function workspaceAt({
  cwd,
  config,
}: CompletionContext): Promise<{ root: string; manifest: string; baseUrl: string }> {
  const from = resolve(cwd ?? '.');
  const found = await rawConfig(from, config === null ? null : resolve(from, config));
  const { manifest = 'registry.json', baseUrl = '' } = found?.config ?? {};
  return { root: found?.root ?? from, manifest: String(manifest), baseUrl: String(baseUrl) };
}
