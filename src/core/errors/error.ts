import { exitCodeOf } from './codes/exit-codes.ts';
import type { ErrorCode } from './codes/index.ts';
import { message, safe, type SafeText, trimmedEnd } from '../text/message.ts';

export type { ErrorCode };

/** The exit code of a process ended by a signal: 128 plus its number. */
export type SignalExit = 129 | 130 | 143;

/** Writes of an interrupted run, by path; `unknown`: sent without receiving a response. */
export interface WriteState {
  stored: readonly string[];
  notStored: readonly string[];
  unknown: readonly string[];
}

/** Effect of a failed write on the store: nothing, all that was requested, or something that cannot be found out. */
export type Effect = 'none' | 'applied' | 'unknown';

/** The state after an error whose effect is `none`, in words. */
export const NOTHING_CHANGED = message`Nothing was changed.`;

interface AppregErrorOptions {
  /** In place of the exit code of the table, for a run that a signal ended. */
  exit?: SignalExit;
  cause?: unknown;
  /** Of a write; null (default) for any other error, and for one that describes what the store has instead. */
  effect?: Effect | null;
  /** A sentence about the resulting state, in place of the usual one of the effect. */
  state?: SafeText | '';
  written?: WriteState | null;
  /** The ids of the rules that a refused change violates. */
  rules?: readonly string[];
  /** True if the hint says to run the same command again. */
  advisesRepeat?: boolean;
}

/**
 * An expected failure: something outside the program is wrong, and the user can fix it. Any other thrown error is a
 * defect of the tool and keeps its stack.
 */
export class AppregError extends Error {
  /** Identifies the class across bundles, where `instanceof` fails. */
  readonly known = true;
  declare readonly message: SafeText;
  readonly code: ErrorCode;
  /** The message without the sentence about the resulting state. */
  readonly summary: SafeText;
  /** The correction, with the command or flag to type. */
  readonly hint: SafeText;
  /**
   * 1: refused by a rule (a conflict, an immutable version); 2: the job could not be done; above 128: ended by a
   * signal.
   */
  readonly exit: 1 | 2 | SignalExit;
  readonly effect: Effect | null;
  /** The sentence about the resulting state, which ends the message; '' if there is none. */
  readonly state: SafeText | '';
  readonly written: WriteState | null;
  readonly rules: readonly string[];
  /** True if the hint says to run the same command again. */
  readonly advisesRepeat: boolean;

  constructor(code: ErrorCode, summary: SafeText, hint: SafeText, options: AppregErrorOptions = {}) {
    const { effect = null, state = effect === 'none' ? NOTHING_CHANGED : '' } = options;
    super(withState(summary, state), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppregError';
    this.code = code;
    this.summary = summary;
    this.hint = hint;
    this.exit = options.exit ?? exitCodeOf(code);
    this.effect = effect;
    this.state = state;
    this.written = options.written ?? null;
    this.rules = options.rules ?? [];
    this.advisesRepeat = options.advisesRepeat ?? false;
  }

  /** The same error with more context; this one becomes its cause. */
  with(
    changes: Pick<AppregErrorOptions, 'effect' | 'state' | 'written' | 'advisesRepeat'> & {
      summary?: SafeText;
      hint?: SafeText;
    },
  ): AppregError {
    const { code, summary, hint, exit, effect, state, written, rules, advisesRepeat } = this;
    const signal = exit === 1 || exit === 2 ? {} : { exit };
    return new AppregError(code, changes.summary ?? summary, changes.hint ?? hint, {
      ...signal,
      ...(changes.effect === undefined && { effect, state }),
      written,
      rules,
      advisesRepeat,
      ...changes,
      cause: this,
    });
  }
}

/** A summary of several lines gets the state on a line of its own. */
function withState(summary: SafeText, state: SafeText | ''): SafeText {
  if (state === '') return summary;
  return message`${safe(trimmedEnd(summary))}${safe(summary.includes('\n') ? message`\n  ` : message` `)}${safe(state)}`;
}

/** True for an AppregError, also for one of another copy of this library. */
export function isAppregError(error: unknown): error is AppregError {
  return error instanceof Error && 'known' in error && error.known === true;
}
