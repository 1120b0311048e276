import { message } from '../core/text/message.ts';
import { AppregError } from '../core/errors/error.ts';
import { unlikeArtifact } from '../core/text/file-type.ts';
import { createArchiveReader } from '../observe/archive/read-archive.ts';
import { createDigester } from '../observe/digest/digest.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { buildFolders } from '../platform/build-folders.ts';
import type { Artifact, ArtifactToStore } from '../publish/artifact.ts';
import { chunksOf } from '../store/bytes.ts';

/** Facts about an artifact before it is published. */

/**
 * Digests, lists and scans an archive.
 * @param cwd the working folder, which it should not name
 * @param built what was just built; absent for an archive that exists already
 */
export async function inspectBytes(
  bytes: Uint8Array,
  cwd: string,
  built?: Pick<Bundle, 'modules'>,
): Promise<Pick<Artifact, 'content' | 'archive'>> {
  const { content, archive } = await inspectStream(chunksOf(bytes), { packedBytes: bytes.length, cwd });
  if (built === undefined || !archive.scan?.secrets.length) return { content, archive };
  const { withSecretSources } = await import('./secret-sources.ts');
  return { content, archive: await withSecretSources(archive, built) };
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
  const reader = createArchiveReader({ packedBytes, scan: { folders: buildFolders(cwd) } });
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
 * @param cwd the working folder, which it should not name
 * @param built what was just built; absent for an archive that exists already
 */
export async function artifactFromBytes(
  bytes: Uint8Array,
  shown: string,
  cwd: string,
  built?: Pick<Bundle, 'modules'>,
): Promise<ArtifactToStore> {
  const inspected = await inspectBytes(bytes, cwd, built);
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
