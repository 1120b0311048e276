import type { ArchiveFacts, Content } from '../../core/facts/facts.ts';
import { createArchiveReader, type ScanOptions } from './read-archive.ts';
import type { TakeTurn } from '../content/detector-run.ts';
import { withoutSecretsInHead } from '../content/redact-head.ts';
import { createDigester } from '../digest/digest.ts';

/** Digests and lists an artifact while its bytes are streamed. */

export interface InspectTask {
  /** Maximum number of bytes to read. */
  limit: number;
  /** Also SHA-1 and MD5. */
  weak: boolean;
  /** Also count line feeds. */
  lines: boolean;
  /** Bytes of the whole file, if known. */
  packedBytes: number | null;
  /** Null to scan no content. */
  scan: ScanOptions | null;
  /** Artifacts of different owners get the same share of a thread's time. */
  owner: string;
}

export interface Inspected {
  content: Content;
  archive: ArchiveFacts;
}

export interface Inspection {
  /** Takes the next bytes; the caller may reuse them when it returns. Await a returned promise before the next call. */
  write(chunk: Uint8Array): void | Promise<void>;
  /** The facts about the bytes written so far. */
  end(): Promise<Inspected>;
  /** Discards the result. */
  drop(): void;
}

/** On this thread. @param takeTurn shares the thread with other artifacts */
export function digestArtifact(
  { limit, weak, lines, packedBytes, scan }: InspectTask,
  takeTurn?: TakeTurn,
): Inspection {
  const digester = createDigester(limit, { weak, lines });
  const archive = createArchiveReader({ packedBytes, scan, takeTurn });
  return {
    write(chunk) {
      digester.write(chunk);
      return archive.write(chunk);
    },
    async end() {
      const content = await withoutSecretsInHead(digester.end(), digester.start);
      return { content, archive: await archive.end() };
    },
    drop: () => void archive.end(),
  };
}

// The messages between this thread and the one that digests artifacts. The memory of the bytes is transferred.

/** To the thread; it returns a ping. */
export type ThreadMessage = Piece | 'ping';
export type ThreadReply = PieceResult | 'ping';

/** A part of an artifact. */
export interface Piece {
  /** Of the artifact. */
  id: number;
  bytes: Uint8Array<ArrayBuffer>;
  /** Only the first piece of an artifact has one. */
  task: InspectTask | null;
  last: 'end' | 'drop' | null;
}

/** Returns the memory of a piece. */
export interface PieceResult {
  id: number;
  memory: ArrayBuffer;
  /** With the last piece. */
  facts: Inspected | null;
}
