/** Entry of an error code in docs/errors.md. */
interface ErrorEntry {
  /** The meaning, as a sentence. */
  title: string;
  /** The correction, as a sentence. */
  fix: string;
}

export type ErrorTable = Readonly<Record<string, ErrorEntry>>;
