import type { Content } from '../../core/facts/facts.ts';

/** Receives the bytes of an artifact while it is digested. Its errors are its own: it never throws. */
export interface ArtifactCopy {
  /** The caller may reuse the bytes when this returns; a promise delays the next call. */
  write(chunk: Uint8Array): Promise<void>;
  /** All bytes were received; `content` is about them. */
  end(content: Content): Promise<void>;
  /** The response failed, or is repeated. */
  discard(): Promise<void>;
}
