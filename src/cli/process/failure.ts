import { message } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { CHECK_COMMANDS, type CheckCommand } from '../../core/findings/report.ts';
import { incompleteRelease } from '../../core/release/report.ts';
import { VERSION } from '../../core/values/tool-version.ts';
import { isAppregError, AppregError } from '../../core/errors/error.ts';
import { isEmptyJournal, type Journal, writeStateOf } from '../../store/journal.ts';
import { incompleteReport } from '../check/checked.ts';
import { isOneOf } from '../define/choices.ts';
import { flagOf } from '../define/command.ts';
import { COMMANDS } from '../commands/index.ts';
import { fileIdentity, workspaceFile } from '../config/output-conflicts.ts';
import { isOptionWord } from '../io/option-words.ts';
import { checkFormat, type Output } from '../io/results.ts';
import { globalOptions } from '../define/option-groups.ts';
import { documentText } from '../../report/envelope.ts';
import { render } from '../../report/index.ts';
import { type CheckFormat, DEFAULTS, FORMATS } from '../../report/options.ts';
import { failureOf } from '../io/failed-run.ts';

/** The documents printed with a machine format if a run has no result. */

const OPTIONS_WITH_VALUE: readonly string[] = Object.values(globalOptions)
  .filter(({ type }) => type !== 'boolean')
  .map((option) => flagOf(option));

export interface Request {
  command: string | null;
  /** Null for an unknown format. */
  main: Output | null;
  reports: Output[];
}

/**
 * The requested command and outputs, as far as they can be determined from an invalid command line. @param words without
 * the program
 */
export function requestIn(words: readonly string[]): Request {
  const end = words.indexOf('--');
  const [known, rest] = end === -1 ? [words, []] : [words.slice(0, end), words.slice(end + 1)];
  const values = new Map<string, string[]>();
  const names: string[] = [];
  const assigned: string[] = [];
  for (let at = 0; at < known.length; at++) {
    const word = known[at] ?? '';
    const [, flag = word, given] = /^(--[^=]+)=([^]*)$/.exec(word) ?? [];
    const hasValue = OPTIONS_WITH_VALUE.includes(flag);
    const next = known[at + 1];
    const value = given ?? (hasValue && next !== undefined && !isOptionWord(next) ? known[++at] : undefined);
    if (hasValue && value !== undefined) values.set(flag, [...(values.get(flag) ?? []), value]);
    else if (!word.startsWith('-')) names.push(word);
    else if (given !== undefined) assigned.push(given);
  }
  const last = (flag: string): string | undefined => values.get(flag)?.at(-1);
  const cwd = resolve(last('--cwd') ?? '.');
  const inFolder = (file: string | undefined): string | null => (file && file !== '-' ? resolve(cwd, file) : null);
  const isOtherFile = otherFiles(
    [...names, ...assigned, ...rest, ...(values.get('--config') ?? [])].map((name) => resolve(cwd, name)),
  );
  const output = inFolder(last('--output'));
  const main = outputIn(last('--format') ?? 'pretty', isOtherFile(output) ? null : output);
  const seen = new Set([main?.file ?? null, null]);
  const reports = (values.get('--report') ?? []).flatMap((text) => {
    const [format = '', ...parts] = text.split('=');
    const file = inFolder(parts.join('='));
    const report = seen.has(file) || isOtherFile(file) ? null : outputIn(format, file);
    seen.add(file);
    return report ?? [];
  });
  return { command: commandIn(names), main, reports };
}

/** True if a document would destroy a file: one that another part of the command line names, or one of a workspace. */
function otherFiles(paths: readonly string[]): (file: string | null) => boolean {
  const identities = new Set(paths.map(fileIdentity));
  return (file) => {
    if (file === null) return false;
    const identity = fileIdentity(file);
    return identity !== null && (identities.has(identity) || workspaceFile(file) !== null);
  };
}

function outputIn(format: string, file: string | null): Output | null {
  return isOneOf(FORMATS, format) ? { format, file } : null;
}

/** The command that the first words name; the first word if it is unknown. */
function commandIn([first, second]: readonly string[]): string | null {
  const name = `${first} ${second}`;
  return COMMANDS.some(({ definition }) => definition.name === name) ? name : (first ?? null);
}

/**
 * The document for a run that failed with `error`; null if the command has none in this format. For a check it is a
 * report whose outcome is `incomplete`.
 */
export function failureDocument(
  command: string | null,
  { format, file }: Output,
  error: unknown,
  journal: Journal,
): string | null {
  const check = CHECK_COMMANDS.find((name) => name === command);
  if (check !== undefined) return checkDocument(check, checkFormat(format), file, error);
  if (format !== 'json') return null;
  const failure = failureOf(error);
  const written =
    (isAppregError(error) ? error.written : null) ?? (isEmptyJournal(journal) ? null : writeStateOf(journal));
  // Its report has an outcome of its own.
  const result = command === 'release' ? incompleteRelease(VERSION) : {};
  return documentText(command, { ...failure, ...result, written });
}

function checkDocument(command: CheckCommand, format: CheckFormat, file: string | null, error: unknown): string | null {
  if (format === 'pretty' && file === null) return null;
  return render(incompleteReport(command, '', error), format, DEFAULTS);
}

/** The error of a run that was ended by a signal, or at a prompt, without another error. */
export function reportAborted(exit: number): AppregError {
  const code = exit === 143 || exit === 129 ? exit : 130;
  return new AppregError('interrupted', message`Interrupted.`, message`Run the same command again.`, {
    effect: 'none',
    exit: code,
  });
}
