import { statSync } from 'node:fs';
import type { DocumentContent } from '../../core/json/content.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { contentOf } from '../content/document-content.ts';

/** The pointer to a file in Git LFS, which has the digest of the file. */
const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.+\n)*oid sha256:([0-9a-f]{64})\n/;

/** A pointer is shorter than 1024 bytes, by its specification. */
const LONGEST = 1024;

/** The SHA-256 digest that a pointer to a file in Git LFS has; null for another content. */
export function lfsOid({ text }: DocumentContent): string | null {
  return LFS_POINTER.exec(text ?? '')?.[1] ?? null;
}

/** The digest that the pointer at a path has; null for another file. */
export function pointerAt(path: string): string | null {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? Infinity) > LONGEST) return null;
  const read = readRegularFile(path, LONGEST);
  return 'failure' in read ? null : lfsOid(contentOf(read.bytes));
}
