/**
 * An expected failure: something outside the program is wrong, and the user can do something about it. Anything else
 * that is thrown is a defect of the tool and keeps its stack.
 */
export class Trouble extends Error {
  /** Marks the class across bundles, where `instanceof` would not hold. */
  readonly known = true;
  readonly code: string;
  /** What to do about it, with the command or flag to type. */
  readonly hint: string;
  /** 1: refused by a rule (a conflict, an immutable version); 2: could not do the job. */
  readonly exit: 1 | 2;

  constructor(code: string, message: string, hint: string, options: { exit?: 1 | 2; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Trouble';
    this.code = code;
    this.hint = hint;
    this.exit = options.exit ?? 2;
  }
}

export function isTrouble(error: unknown): error is Trouble {
  return error instanceof Error && (error as Partial<Trouble>).known === true;
}
