import type { DocumentContent } from '../../core/json/content.ts';

/** The pointer to a file in Git LFS, which has the digest of the file. */
const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.+\n)*oid sha256:([0-9a-f]{64})\n/;

/** The SHA-256 digest that a pointer to a file in Git LFS has; null for another content. */
export function lfsOid({ text }: DocumentContent): string | null {
  return LFS_POINTER.exec(text ?? '')?.[1] ?? null;
}
