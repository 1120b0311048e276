import { message } from '../core/text/message.ts';
import { AppregError } from '../core/errors.ts';
import { unlikeArtifact } from '../core/text/file-type.ts';
import { createArchiveReader } from '../observe/archive/read-archive.ts';
import { createDigester } from '../observe/digest/digest.ts';
import { homeFolder } from '../platform/home-folder.ts';
import type { Artifact, ArtifactToStore } from '../publish/artifact.ts';
import { chunksOf } from '../store/bytes.ts';

/** What is known about an artifact before it is published. */

/** Digests, lists and scans an archive. @param cwd a folder that it should not name */
export function inspectBytes(bytes: Uint8Array, cwd: string): Promise<Pick<Artifact, 'content' | 'archive'>> {
  return inspectStream(chunksOf(bytes), { packedBytes: bytes.length, cwd });
}

interface StreamOptions {
  /** Its size. */
  packedBytes: number;
  cwd: string;
  onChunk?: (chunk: Uint8Array) => void;
}

/** Digests, lists and scans a stream. */
export async function inspectStream(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { packedBytes, cwd, onChunk = () => {} }: StreamOptions,
): Promise<Pick<Artifact, 'content' | 'archive'>> {
  const digester = createDigester(Infinity);
  const reader = createArchiveReader({ packedBytes, scan: { folders: [cwd, homeFolder() ?? cwd] } });
  for await (const chunk of chunks) {
    const listed = reader.write(chunk);
    digester.write(chunk);
    onChunk(chunk);
    if (listed !== undefined) await listed;
  }
  return { content: digester.end(), archive: await reader.end() };
}

/**
 * Digests, lists and scans an archive in memory.
 * @param shown its name in messages
 * @param cwd a folder that it should not name
 */
export async function artifactFromBytes(bytes: Uint8Array, shown: string, cwd: string): Promise<ArtifactToStore> {
  const inspected = await inspectBytes(bytes, cwd);
  refuseUnlikeArtifact(shown, inspected.content.head);
  return { bytes, url: null, ...inspected };
}

export function refuseUnlikeArtifact(shown: string, head: string): void {
  const fault = unlikeArtifact(head);
  if (fault !== null)
    throw new AppregError(
      'artifact-invalid',
      message`${shown} ${fault}.`,
      message`An artifact is a .tar.gz archive; appreg bundle makes one.`,
      { effect: 'none' },
    );
}
