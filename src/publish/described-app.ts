import type { AssembledApp } from '../author/assemble.ts';
import type { Content, ImageFacts } from '../core/facts/facts.ts';
import type { EntryTexts } from '../core/release/entry-changes.ts';
import { sha256Of } from '../store/bytes.ts';

export interface IconFile {
  bytes: Uint8Array;
  content: Content;
  image: ImageFacts;
}

/** An app as its folder describes it, with its icon file; null for an icon that is hosted elsewhere. */
export type AppToAssemble = AssembledApp & { image: IconFile | null };

/** The texts of a described app, with the digest of its icon file. */
export function textsOf({ given, image }: AppToAssemble): EntryTexts {
  return { fields: given, iconSha256: image === null ? null : sha256Of(image.bytes) };
}
