/** The exit code of a process ended by a signal: 128 plus its number. */
export type SignalExit = 129 | 130 | 143;

/** What an interrupted run had written, by path; `unknown`: sent without receiving a response. */
export interface WriteState {
  stored: readonly string[];
  notStored: readonly string[];
  unknown: readonly string[];
}

interface AppregErrorOptions {
  exit?: 1 | 2 | SignalExit;
  cause?: unknown;
  /** Of a failed write: `unknown` if it may have been carried out anyway. */
  effect?: 'none' | 'unknown';
  written?: WriteState | null;
}

/**
 * An expected failure: something outside the program is wrong, and the user can fix it. Any other thrown error is a
 * defect of the tool and keeps its stack.
 */
export class AppregError extends Error {
  /** Identifies the class across bundles, where `instanceof` fails. */
  readonly known = true;
  readonly code: string;
  /** How to fix it, with the command or flag to type. */
  readonly hint: string;
  /**
   * 1: refused by a rule (a conflict, an immutable version); 2: the job could not be done; above 128: ended by a
   * signal.
   */
  readonly exit: 1 | 2 | SignalExit;
  readonly effect: 'none' | 'unknown';
  readonly written: WriteState | null;

  constructor(code: string, message: string, hint: string, options: AppregErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppregError';
    this.code = code;
    this.hint = hint;
    this.exit = options.exit ?? 2;
    this.effect = options.effect ?? 'none';
    this.written = options.written ?? null;
  }
}

export function isAppregError(error: unknown): error is AppregError {
  return error instanceof Error && (error as Partial<AppregError>).known === true;
}
