import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { companionKindOf, isAboutPath } from '../../core/registry/companion.ts';
import { LOCK_FILE } from '../../core/registry/lock-file.ts';
import { message } from '../../core/text/message.ts';
import { type CommandDefinition, flagOf, type ValueKind } from '../define/command.ts';
import { CONFIG_FILES } from './find.ts';
import type { Context } from './context.ts';
import { realPath, unwritable } from '../io/output-file.ts';
import type { Output } from '../io/results.ts';

/** Checks the files of --output and --report before a command starts. Loaded if there are any. */

/** A file that the command line names besides --output and --report: what the command reads, or writes itself. */
interface NamedFile {
  /** Absolute. */
  path: string;
  /** The argument or the option, as in the help. */
  by: string;
}

/** The kinds of values that may be files. */
const FILES: ReadonlySet<unknown> = new Set<ValueKind>([
  'file',
  'archive',
  'icon',
  'file-or-url',
  'registry-state',
  'registry-url-or-facts',
]);

/** The files of a command line. A baseline is not one: the report that was compared with it may replace it. */
function namedFiles(
  command: CommandDefinition,
  args: readonly unknown[],
  { options: given, cwd }: Context,
): NamedFile[] {
  const options: Readonly<Record<string, unknown>> = { ...given };
  const inArguments = command.arguments.map(({ usage, value }, index) => ({
    by: usage,
    kind: value,
    given: args[index],
  }));
  const inOptions = Object.entries(command.options).map(([name, option]) => ({
    by: flagOf(option),
    kind: name !== 'baseline' && 'value' in option ? option.value : null,
    given: options[name],
  }));
  return [...inArguments, ...inOptions, { by: '--config', kind: 'file', given: options['config'] }]
    .filter(({ kind }) => FILES.has(kind))
    .flatMap(({ by, given }) =>
      [given].flat().flatMap((value) => (typeof value === 'string' ? { by, path: resolve(cwd, value) } : [])),
    );
}

/**
 * @param args the arguments of the command: a result would replace the files that they name, as those of options
 * @throws AppregError for files that cannot be written, or that are the same one
 */
export function requireWritableOutputs(
  outputs: readonly Output[],
  definition: CommandDefinition,
  args: readonly unknown[],
  context: Context,
): void {
  if (context.options.report?.some((text) => text.slice(text.indexOf('=') + 1) === '-'))
    throw new AppregError(
      'option-conflict',
      message`--report cannot write to stdout, which is for the result itself.`,
      message`Give --report a file, or request the format with --format.`,
    );
  const others = new Map(namedFiles(definition, args, context).map(({ path, by }) => [fileIdentity(path), by]));
  const seen = new Map<string, string>();
  const paths = new Set<string>();
  for (const { file } of outputs) {
    if (file === null) continue;
    if (paths.has(file))
      throw new AppregError(
        'option-conflict',
        message`${file} is named twice, by --output or --report.`,
        message`Give each result a file of its own.`,
      );
    paths.add(file);
    requireWritable(file);
    const identity = fileIdentity(file);
    if (identity === null) continue;
    const by = others.get(identity);
    if (by !== undefined)
      throw new AppregError(
        'option-conflict',
        message`${file} is named by ${by}, and by --output or --report.`,
        message`Give the results a file of their own.`,
      );
    const other = seen.get(identity);
    if (other !== undefined)
      throw new AppregError(
        'option-conflict',
        message`${other} and ${file} are the same file.`,
        message`Give each result a file of its own.`,
      );
    seen.set(identity, file);
    requireReplaceable(file, 'a result');
  }
}

/**
 * Refuses a file that is a part of a registry's workspace, which results must never replace.
 * @param path absolute; a file that does not exist, or cannot be read, is left to its writer
 * @param by what would replace it, such as “saved facts”
 * @throws AppregError `option-conflict`
 */
export function requireReplaceable(path: string, by: string): void {
  const kind = workspaceFile(path);
  if (kind === null) return;
  throw new AppregError(
    'option-conflict',
    message`${path} is ${kind}, which ${by} would replace.`,
    message`Give another file. If this one is not needed, delete it first.`,
  );
}

/**
 * Names the role of an existing file in a registry; null for any other file. The content decides, not the
 * configuration: the file may be in another workspace, and the command may fail before it reads its own.
 */
export function workspaceFile(path: string): string | null {
  const file = fileIdentity(path);
  const text = file === null ? null : beginningOf(file);
  if (file === null || text === null) return null;
  const name = basename(file);
  if (CONFIG_FILES.has(name)) return 'a configuration';
  if (name === LOCK_FILE) return 'a lock file';
  if (isAboutPath(name)) return 'an about file';
  if (companionKindOf(name) !== null) return 'a companion file of an artifact';
  if (GZIP.test(text)) return 'an archive';
  if (!DOCUMENT.test(text) || OWN_RESULT.test(text)) return null;
  return 'a document of a registry';
}

/** The members by which a manifest and a metadata file are known, also if they contain errors. */
const DOCUMENT = /^\uFEFF?\s*\{[^]*"(?:apps|versions)"\s*:\s*[{[]/;

/** The first fields of saved facts and support bundles, and of reports. */
const OWN_RESULT = /^\s*\{\s*"(?:snapshot|schema"\s*:\s*1\s*,\s*"tool)"\s*:/;

/** The first bytes of a .tar.gz, decoded as UTF-8. */
const GZIP = /^\u001F\uFFFD/;

const MAX_BEGINNING = 65_536;

/** The first bytes of a file as text; null if it does not exist, or cannot be read. */
function beginningOf(path: string): string | null {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(MAX_BEGINNING);
      return bytes.toString('utf8', 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/**
 * Equal for two names of one file. Null for a device or a pipe, which several results may be written to, and for a path
 * that cannot be read, such as that of a URL.
 */
export function fileIdentity(path: string): string | null {
  try {
    const target = realPath(path);
    const old = statSync(target, { throwIfNoEntry: false });
    return old === undefined || old.isFile() ? target : null;
  } catch {
    return null;
  }
}

/** @throws AppregError `output-unwritable` if the file cannot be written, as far as that is known before */
function requireWritable(path: string): void {
  try {
    const target = realPath(path);
    const old = statSync(target, { throwIfNoEntry: false });
    if (old?.isDirectory() === true) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    if (old !== undefined) return accessSync(target, constants.W_OK);
    if (!statSync(dirname(target)).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
    accessSync(dirname(target), constants.W_OK);
  } catch (error) {
    throw unwritable(path, error);
  }
}
