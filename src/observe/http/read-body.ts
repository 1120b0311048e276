import type { Content } from '../../core/facts/facts.ts';
import { createDecoder, unknownCodings } from '../digest/decode.ts';
import { createDigester } from '../digest/digest.ts';
import type { BodyReader } from './body.ts';

/** A body: `content` as sent, `bytes` decoded. */
export interface ReadBody {
  content: Content;
  /** The first bytes as sent, more than `content` has of them. */
  start: Buffer;
  bytes: Buffer;
}

/** The body of one attempt. */
interface Reading extends BodyReader {
  /** `error`: why it could not be decoded, or null. */
  end(): Promise<ReadBody & { coding: string; error: string | null }>;
}

/**
 * Opens the reader of a body that is kept in memory.
 * @param applied the codings of the body
 * @param limit maximum number of bytes read, as sent and decoded
 */
export function openReading(applied: readonly string[], limit: number, onBytes: (count: number) => void): Reading {
  const chunks: Uint8Array[] = [];
  const keep = (chunk: Uint8Array): void => void chunks.push(Buffer.from(chunk));
  // A coding that cannot be decoded is ignored, as browsers ignore unknown codings.
  const isDecoded = applied.length > 0 && unknownCodings(applied).length === 0;
  const decoder = isDecoded ? createDecoder(applied, limit, keep) : null;
  const digester = createDigester(limit);
  return {
    limit,
    over: 'cut',
    write(chunk) {
      onBytes(chunk.length);
      digester.write(chunk);
      return decoder ? decoder.write(chunk) : keep(chunk);
    },
    async end() {
      const content = digester.end();
      const error = decoder ? await decoder.end() : null;
      return { content, start: digester.start, bytes: Buffer.concat(chunks), coding: applied.join(', '), error };
    },
  };
}
