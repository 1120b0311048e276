import { constants, type InflateRaw } from 'node:zlib';

/**
 * Inflates on this thread, with a stream of node:zlib. The synchronous functions of node:zlib allocate a new state for
 * each call, and its streams always use another thread; this uses the handle of the stream, which is private.
 */
export interface SyncInflate {
  /**
   * Inflates as much as fits into `output`.
   * @returns the number of bytes left of `input` after offset `from`, and left in `output`
   */
  inflate(input: Uint8Array, from: number, output: Buffer): { inputLeft: number; outputLeft: number };
}

interface ZlibHandle {
  writeSync(
    flush: number,
    input: Uint8Array,
    inputOffset: number,
    inputLength: number,
    output: Buffer,
    outputOffset: number,
    outputLength: number,
  ): void;
}

/** Null if this version of Node has no such handle, or if the stream was destroyed. */
export function syncInflateOf(stream: InflateRaw): SyncInflate | null {
  if (!('_handle' in stream) || !('_writeState' in stream)) return null;
  const { _handle: handle, _writeState: counts } = stream;
  if (!isZlibHandle(handle) || !(counts instanceof Uint32Array)) return null;
  return {
    inflate(input, from, output) {
      handle.writeSync(constants.Z_SYNC_FLUSH, input, from, input.length - from, output, 0, output.length);
      const [outputLeft = 0, inputLeft = 0] = counts;
      return { inputLeft, outputLeft };
    },
  };
}

function isZlibHandle(value: unknown): value is ZlibHandle {
  return typeof value === 'object' && value !== null && 'writeSync' in value && typeof value.writeSync === 'function';
}
