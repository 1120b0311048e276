import type { AssembledApp } from '../author/assemble.ts';
import type { Content, ImageFacts } from '../core/facts/facts.ts';

export interface IconFile {
  bytes: Uint8Array;
  content: Content;
  image: ImageFacts;
}

/** An app as its folder describes it, with its icon file; null for an icon that is hosted elsewhere. */
export type AppToAssemble = AssembledApp & { image: IconFile | null };
