import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Content } from '../../core/facts/facts.ts';
import { createDigester } from './digest.ts';

/** Decodes Content-Encodings while the bytes are streamed, in parallel with other processing of the bytes as sent. */
export interface Decoder {
  write(chunk: Uint8Array): void | Promise<void>;
  /**
   * Waits for the end.
   * @returns the fault, or null
   */
  end(): Promise<string | null>;
}

/** The fault of a stream that decodes to more bytes than its limit. */
export const DECODED_TOO_LARGE = 'DECODED_TOO_LARGE';

const SUPPORTED = new Set(['gzip', 'deflate', 'br']);

/** The codings that are not supported here, by name. */
export function unknownCodings(codings: readonly string[]): string[] {
  return codings.filter((coding) => !SUPPORTED.has(coding));
}

/**
 * @param codings as returned by `codings()` of core/headers, in the order in which they were applied
 * @param limit maximum number of decoded bytes; more are a fault, not dropped silently
 * @param sink takes the decoded bytes; they may be reused after it returns
 */
export function createDecoder(codings: readonly string[], limit: number, sink: (chunk: Uint8Array) => void): Decoder {
  const [unknown] = unknownCodings(codings);
  if (unknown !== undefined) return { write() {}, end: async () => `unknown coding ${unknown}` };
  let stages: Transform[] | null = null;
  let fault: string | null = null;
  let bytes = 0;

  function fail(message: string): void {
    fault ??= message;
    for (const stage of stages ?? []) stage.destroy();
  }

  /** Opened at the first byte, which distinguishes the two formats called deflate. */
  function open(first: number): Transform[] {
    const made = codings.toReversed().map((coding, i) => {
      if (coding === 'br') return createBrotliDecompress();
      if (coding === 'gzip') return createGunzip();
      return i > 0 || (first & 0x0f) === 8 ? createInflate() : createInflateRaw();
    });
    for (const [i, stage] of made.entries()) {
      stage.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
      const next = made[i + 1];
      if (next) stage.pipe(next);
    }
    made.at(-1)!.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limit) return fail(DECODED_TOO_LARGE);
      sink(chunk);
    });
    return made;
  }

  return {
    async write(chunk) {
      if (fault !== null || chunk.length === 0) return;
      stages ??= open(chunk[0]!);
      const [first] = stages;
      // The stage retains its input for a while, so it gets a copy.
      if (!first!.write(Buffer.from(chunk)) && fault === null) await drained(first!);
    },
    async end() {
      if (fault !== null || stages === null) return fault ?? (codings.length > 0 ? 'no bytes to decode' : null);
      const last = stages.at(-1)!;
      const closed = new Promise((resolve) => last.once('close', resolve));
      stages[0]!.end();
      if (!last.closed) await closed;
      return fault;
    },
  };
}

/** Resolves when a stage accepts more input, or has ended. */
function drained(stage: Transform): Promise<void> {
  return new Promise((resolve) => {
    function done(): void {
      stage.off('drain', done).off('close', done);
      resolve();
    }
    stage.on('drain', done).on('close', done);
  });
}

/** The digest of the bytes after their Content-Encoding is decoded (`Content.decoded`). */
export function createDecodedDigester(
  codings: readonly string[],
  limit: number,
): { write: Decoder['write']; end(): Promise<NonNullable<Content['decoded']>> } {
  const digester = createDigester(limit);
  const decoder = createDecoder(codings, limit, (chunk) => digester.write(chunk));
  return {
    write: (chunk) => decoder.write(chunk),
    async end() {
      const error = await decoder.end();
      const { bytes, sha256, head } = digester.end();
      return { coding: codings.join(', '), bytes, sha256: error === null ? sha256 : '', head, error };
    },
  };
}
