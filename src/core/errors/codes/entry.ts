/** What docs/errors.md says about an error code. */
interface ErrorEntry {
  /** What it means, as a sentence. */
  title: string;
  /** What to do, as a sentence. */
  fix: string;
}

export type ErrorTable = Readonly<Record<string, ErrorEntry>>;
