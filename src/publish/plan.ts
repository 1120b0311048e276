import type { Bytes } from '../store/bytes.ts';

/** What is going to be written, in order, each with its condition. Data: it can be shown instead of carried out. */
export interface Plan {
  /** What is done, in a line such as `Publish clock 1.2.0`: the subject of a commit. */
  title?: string;
  steps: Step[];
}
export type Step =
  /** A file that must not be there yet; the same bytes being there already is success. */
  | { kind: 'create'; path: string; bytes: Bytes; what: string }
  /** A file that may change as a whole, such as an icon; it is there already. */
  | { kind: 'replace'; path: string; bytes: Uint8Array; what: string }
  /** A change to a document. `edit` is asked again with the new text when somebody else was faster; null: nothing to do. */
  | { kind: 'edit'; path: string; edit: (text: string) => string | null; what: string };
