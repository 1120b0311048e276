import { CHECK_COMMANDS, type CheckCommand } from '../../core/engine/report.ts';
import { incompleteRelease } from '../../core/release/report.ts';
import { redact, safeJson } from '../../core/text/text.ts';
import { VERSION } from '../../core/tool-version.ts';
import { type ErrorCode, isAppregError, AppregError } from '../../core/errors.ts';
import { ERRORS } from '../../core/error-codes/index.ts';
import { isEmptyJournal, type Journal, writeStateOf } from '../../store/journal.ts';
import { incompleteReport } from '../check/checks.ts';
import { render } from '../../report/index.ts';
import { DEFAULTS, type Format, FORMATS } from '../../report/options.ts';
import { systemErrorCode } from '../../platform/system-error.ts';

/** The document printed with a machine format if a run has no result. */

/** Global options with a value. */
const OPTIONS_WITH_VALUE = ['--config', '--config-format', '--cwd', '--format', '--output', '--max-warnings', '--rule'];

export interface Request {
  command: string | null;
  format: string | null;
}

/**
 * The requested command and format, as far as they can be determined from an invalid command line. @param words without
 * the program
 */
export function requestIn(words: readonly string[]): Request {
  const end = words.indexOf('--');
  const known = end === -1 ? words : words.slice(0, end);
  let command: string | null = null;
  let format: string | null = null;
  for (let at = 0; at < known.length; at++) {
    const word = known[at] ?? '';
    if (word.startsWith('--format=')) format = word.slice('--format='.length);
    else if (word === '--format') format = known[at + 1] ?? null;
    if (OPTIONS_WITH_VALUE.includes(word)) at += 1;
    else if (command === null && !word.startsWith('-')) command = word;
  }
  return { command, format };
}

/**
 * The document for a run that failed with `error`; null if no machine format that the command supports is requested.
 * For a check it is a report whose outcome is `incomplete`.
 */
export function failureDocument({ command, format }: Request, error: unknown, journal: Journal): string | null {
  const check = CHECK_COMMANDS.find((name) => name === command);
  if (check !== undefined) return checkDocument(check, format, error);
  if (format !== 'json') return null;
  const failure = failureOf(error);
  const written =
    (isAppregError(error) ? error.written : null) ?? (isEmptyJournal(journal) ? null : writeStateOf(journal));
  // Its report has an outcome of its own.
  if (command === 'release') return redact(safeJson({ ...incompleteRelease(VERSION), error: failure.error, written }));
  return redact(safeJson({ schema: 1, tool: { name: 'appreg', version: VERSION }, command, ...failure, written }));
}

function checkDocument(command: CheckCommand, format: string | null, error: unknown): string | null {
  const known = FORMATS.find((name): name is Format => name === format && name !== 'pretty');
  if (known === undefined) return null;
  const { error: reported } = failureOf(error);
  return render(incompleteReport(command, '', `${reported.code}: ${reported.message}`), known, DEFAULTS);
}

interface FailureFields {
  /** `refused`: by a rule or a store; `interrupted`: by a signal; `failed`: anything else. */
  outcome: 'refused' | 'interrupted' | 'failed';
  /** `rules`: the ids of the rules that a refused change violates. */
  error: { code: ErrorCode; message: string; hint: string | null; exit: number; rules?: readonly string[] };
}

function failureOf(error: unknown): FailureFields {
  if (isAppregError(error)) {
    const { code, message, hint, exit, rules } = error;
    const outcome = exit > 128 ? 'interrupted' : FAILURES[exit === 1 ? 1 : 0];
    return { outcome, error: { code, message, hint, exit, ...(rules.length > 0 && { rules }) } };
  }
  if (isUsage(error)) {
    const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    return { outcome: 'failed', error: { code: 'usage', message, hint: null, exit: ERRORS.usage.exit } };
  }
  const message = 'internal error in appreg; its stack is on stderr.';
  return { outcome: 'failed', error: { code: 'defect', message, hint: 'Please report it.', exit: ERRORS.defect.exit } };
}

const FAILURES = ['failed', 'refused'] as const;

/** True for errors of the command line parser. */
function isUsage(error: unknown): error is Error {
  return error instanceof Error && systemErrorCode(error)?.startsWith('commander.') === true;
}

/** The error of a run that was ended by a signal, or at a prompt, without another error. */
export function reportAborted(exit: number): AppregError {
  const code = exit === 143 || exit === 129 ? exit : 130;
  return new AppregError('interrupted', 'Interrupted.', 'Run the same command again.', { effect: 'none', exit: code });
}
