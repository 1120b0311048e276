import { type ArchiveOptions, createArchiveReader } from '../../src/observe/archive/read-archive.ts';
import type { ArchiveFacts, Content } from '../../src/core/facts/facts.ts';
import { createDigester } from '../../src/observe/digest/digest.ts';

/** The result of the reader for some bytes, passed to it in pieces of `size`. */
export async function listArchive(
  bytes: Uint8Array,
  options: ArchiveOptions & { size?: number } = {},
): Promise<ArchiveFacts> {
  const { size = 64 * 1024, ...rest } = options;
  const reader = createArchiveReader(rest);
  for (let at = 0; at < bytes.length; at += size) await reader.write(bytes.subarray(at, at + size));
  return reader.end();
}

/** The facts that the rules about artifacts see. */
export async function artifactFactsOf(
  bytes: Uint8Array,
  options: ArchiveOptions & { limit?: number } = {},
): Promise<{ content: Content; archive: ArchiveFacts }> {
  const { limit = Infinity, ...rest } = options;
  const digester = createDigester(limit);
  digester.write(bytes);
  return { content: digester.end(), archive: await listArchive(bytes.subarray(0, limit), rest) };
}
