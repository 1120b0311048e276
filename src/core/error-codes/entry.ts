/** What docs/errors.md says about an error code. */
interface ErrorEntry {
  /**
   * The exit code. 1: refused by a rule (a conflict, an immutable version); 2: the job could not be done; 130: ended by
   * a signal.
   */
  exit: 1 | 2 | 130;
  /** What it means, as a sentence. */
  title: string;
  /** What to do, as a sentence. */
  fix: string;
}

export type ErrorTable = Readonly<Record<string, ErrorEntry>>;
