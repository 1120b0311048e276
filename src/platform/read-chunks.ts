import { createReadStream } from 'node:fs';

/**
 * The bytes of a file, in order.
 * @param chunkBytes the length of all chunks but the last
 * @throws the system's error if the file cannot be read
 */
export function readChunks(path: string, chunkBytes = 2 ** 20): AsyncIterable<Buffer> {
  // Without an encoding, the chunks are buffers; the type of the stream does not say so.
  return createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>;
}
