import { type ErrorCode, ERRORS } from './error-codes/index.ts';

export type { ErrorCode };

/** The exit code of a process ended by a signal: 128 plus its number. */
export type SignalExit = 129 | 130 | 143;

/** What an interrupted run had written, by path; `unknown`: sent without receiving a response. */
export interface WriteState {
  stored: readonly string[];
  notStored: readonly string[];
  unknown: readonly string[];
}

interface AppregErrorOptions {
  /** In place of the exit code of the table, for a run that a signal ended. */
  exit?: SignalExit;
  cause?: unknown;
  /** Of a failed write: `unknown` if it may have been carried out anyway. */
  effect?: 'none' | 'unknown';
  written?: WriteState | null;
  /** The ids of the rules that a refused change violates. */
  rules?: readonly string[];
}

/**
 * An expected failure: something outside the program is wrong, and the user can fix it. Any other thrown error is a
 * defect of the tool and keeps its stack.
 */
export class AppregError extends Error {
  /** Identifies the class across bundles, where `instanceof` fails. */
  readonly known = true;
  readonly code: ErrorCode;
  /** How to fix it, with the command or flag to type. */
  readonly hint: string;
  /**
   * 1: refused by a rule (a conflict, an immutable version); 2: the job could not be done; above 128: ended by a
   * signal.
   */
  readonly exit: 1 | 2 | SignalExit;
  readonly effect: 'none' | 'unknown';
  readonly written: WriteState | null;
  readonly rules: readonly string[];

  constructor(code: ErrorCode, message: string, hint: string, options: AppregErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppregError';
    this.code = code;
    this.hint = hint;
    this.exit = options.exit ?? ERRORS[code].exit;
    this.effect = options.effect ?? 'none';
    this.written = options.written ?? null;
    this.rules = options.rules ?? [];
  }

  /** The same error with more context; this one becomes its cause. */
  with(changes: Partial<Pick<AppregError, 'message' | 'hint' | 'effect' | 'written'>>): AppregError {
    const { code, message, hint, exit, effect, written, rules } = { ...this, message: this.message, ...changes };
    const signal = exit === 1 || exit === 2 ? {} : { exit };
    return new AppregError(code, message, hint, { ...signal, effect, written, rules, cause: this });
  }
}

export function isAppregError(error: unknown): error is AppregError {
  return error instanceof Error && (error as Partial<AppregError>).known === true;
}
