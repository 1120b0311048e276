import type { ArchiveFacts, Content } from '../../core/facts/facts.ts';
import { createArchiveReader } from '../archive/read-archive.ts';
import { createDigester } from './digest.ts';

/** Digesting and listing an artifact while its bytes stream by. */

export interface InspectTask {
  /** Bytes to read at most. */
  limit: number;
  /** Also SHA-1 and MD5. */
  weak: boolean;
  /** Also count line feeds. */
  lines: boolean;
  /** Bytes of the whole file, where that is known. */
  packedBytes: number | null;
}

export interface Inspected {
  content: Content;
  archive: ArchiveFacts;
}

export interface Inspection {
  /** Takes the next bytes, which may be reused when it returns. A promise is to be waited for before the next call. */
  write(chunk: Uint8Array): void | Promise<void>;
  /** What was written so far, as facts. */
  end(): Promise<Inspected>;
  /** Nobody will ask for it. */
  drop(): void;
}

/** On this thread. */
export function digestArtifact({ limit, weak, lines, packedBytes }: InspectTask): Inspection {
  const digester = createDigester(limit, { weak, lines });
  const archive = createArchiveReader({ packedBytes });
  return {
    write(chunk) {
      digester.write(chunk);
      return archive.write(chunk);
    },
    end: async () => ({ archive: await archive.end(), content: digester.end() }),
    drop: () => void archive.end(),
  };
}
