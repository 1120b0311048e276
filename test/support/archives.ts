import { type ArchiveOptions, createArchiveReader } from '../../src/observe/archive.ts';
import type { ArchiveFacts } from '../../src/core/facts.ts';

/** What the reader says about some bytes, given to it in pieces of `size`. */
export async function listed(
  bytes: Uint8Array,
  options: ArchiveOptions & { size?: number } = {},
): Promise<ArchiveFacts> {
  const { size = 64 * 1024, ...rest } = options;
  const reader = createArchiveReader(rest);
  for (let at = 0; at < bytes.length; at += size) await reader.write(bytes.subarray(at, at + size));
  return reader.end();
}
