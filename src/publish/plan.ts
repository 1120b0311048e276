import type { Bytes } from '../store/bytes.ts';

/** The writes to make, in order, each with its precondition. Plain data, so it can be shown instead of applied. */
export interface Plan {
  /** A one-line summary such as `Publish clock 1.2.0`: the subject of a commit. */
  title?: string;
  steps: Step[];
}
export type Step =
  /** A file that must not exist yet; an existing file with the same bytes is success. */
  | { kind: 'create'; path: string; bytes: Bytes; what: string }
  /** An existing file that is replaced as a whole, such as an icon. */
  | { kind: 'replace'; path: string; bytes: Uint8Array; what: string }
  /** A change to a document. After a conflict, `edit` is called again with the current text; null: nothing to do. */
  | { kind: 'edit'; path: string; edit: (text: string) => string | null; what: string };
