import type { Count } from '../values/scalars.ts';

/** The bytes of a document: as `text`, or as `base64` if they are not valid UTF-8. */
export interface DocumentContent {
  text: string | null;
  base64: string | null;
  /** Size in bytes of the document, as far as it was read. */
  bytes: Count;
  /** True when reading stopped at the size limit. */
  cut: boolean;
}
