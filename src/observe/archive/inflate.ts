import { constants, createInflateRaw, type InflateRaw } from 'node:zlib';

/**
 * Inflates deflate data. Data that hardly grows (archives of images, compressed code) is inflated on this thread: a
 * round trip to zlib's thread takes longer than the work. Data that grows more goes to zlib's thread.
 */
export interface Inflating {
  /**
   * The number of bytes consumed (fewer than given: the deflate data has ended), or zlib's error message. Await a
   * returned promise before the next call.
   */
  write(bytes: Uint8Array): number | string | Promise<number | string>;
  close(): void;
}

const OUTPUT_CHUNK = 128 * 1024;
/** Expansion ratio of a portion from which the next one goes to zlib's thread. */
const GROWTH = 2;
/** zlib's state takes 40 KB and is slow to allocate, so that streams are reused. */
const SPARE = 32;
const spare: Engine[] = [];
let output: Buffer | null = null;

interface Engine {
  stream: InflateRaw;
  sink: ((data: Buffer) => void) | null;
  answer: ((complaint: string) => void) | null;
}

/** The handle through which a node:zlib stream calls zlib on this thread; the remaining counts are in `_writeState`. */
interface Inner {
  _handle: {
    writeSync?(
      flush: number,
      from: Uint8Array,
      at: number,
      size: number,
      into: Buffer,
      off: number,
      room: number,
    ): void;
  } | null;
  _writeState?: Uint32Array;
}

function openEngine(): Engine {
  const stream = createInflateRaw({ chunkSize: OUTPUT_CHUNK, flush: constants.Z_SYNC_FLUSH });
  const engine: Engine = { stream, sink: null, answer: null };
  stream.on('data', (data: Buffer) => engine.sink?.(data));
  stream.on('error', ({ message }: Error) => engine.answer?.(message));
  stream.on('close', () => engine.answer?.('closed'));
  return engine;
}

/** @param sink takes inflated bytes, which are overwritten after it returns; it may close */
export function inflating(sink: (data: Buffer) => void): Inflating {
  const engine = spare.pop() ?? openEngine();
  const { stream } = engine;
  engine.sink = sink;
  let closed = false;
  let streamed = false;
  let grows = false;

  function now(bytes: Uint8Array, handle: Required<NonNullable<Inner['_handle']>>, left: Uint32Array): number | string {
    const into = (output ??= Buffer.allocUnsafeSlow(OUTPUT_CHUNK));
    let used = 0;
    let unpacked = 0;
    for (;;) {
      handle.writeSync(constants.Z_SYNC_FLUSH, bytes, used, bytes.length - used, into, 0, OUTPUT_CHUNK);
      if (stream.errored) return stream.errored.message;
      const got = OUTPUT_CHUNK - left[0]!;
      used = bytes.length - left[1]!;
      unpacked += got;
      if (got > 0) sink(into.subarray(0, got));
      if (closed || got < OUTPUT_CHUNK) break;
    }
    grows = unpacked > GROWTH * bytes.length;
    return used;
  }

  function later(bytes: Uint8Array): Promise<number | string> {
    const before = stream.bytesWritten;
    streamed = true;
    return new Promise((resolve) => {
      engine.answer = resolve;
      stream.write(bytes, (error) => resolve(error ? error.message : stream.bytesWritten - before));
    });
  }

  return {
    write(bytes) {
      const { _handle: handle, _writeState: left } = stream as unknown as Inner;
      // If a later Node has no such handle, the stream's own API is used.
      if (grows || !handle?.writeSync || !left) return later(bytes);
      return now(bytes, handle as Required<typeof handle>, left);
    },
    close() {
      if (closed) return;
      closed = true;
      engine.sink = null;
      // A stream cannot be reused after the end of the deflate data.
      if (streamed || stream.destroyed || spare.length >= SPARE) return void stream.destroy();
      stream.reset();
      spare.push(engine);
    },
  };
}
