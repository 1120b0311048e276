import { constants, inflateSync } from 'node:zlib';
import type { ImageFacts } from '../../core/facts/facts.ts';
import { systemErrorCode } from '../../platform/system-error.ts';

/** The pixels of a PNG: whether their data is complete, and can be decoded. */

type Fault = NonNullable<ImageFacts['fault']>;

/** The size of an image, and how its pixels are stored. */
export interface PixelFormat {
  width: number;
  height: number;
  bitsPerPixel: number;
  interlaced: boolean;
}

/** Limit for inflated pixels, in bytes: enough for 2,800 by 2,800 in full color. */
const INFLATE_LIMIT = 32 * 2 ** 20;
// The passes of an interlaced image: first column, column step, first row, row step.
const PASSES = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;

export function pixelFault(packed: Buffer, format: PixelFormat): Fault | null {
  const passes = passesOf(format);
  const expected = passes.reduce((sum, { stride, rows }) => sum + stride * rows, 0);
  const limit = Math.min(expected, INFLATE_LIMIT);
  try {
    const data = inflateSync(packed, {
      maxOutputLength: limit,
      chunkSize: 65_536,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    if (data.length < limit && expected <= INFLATE_LIMIT)
      return { code: 'data-short', message: `it has only ${data.length} of ${expected} bytes of pixel data` };
    return filterFault(data, passes);
  } catch (error) {
    const code = systemErrorCode(error);
    // More data than needed, or more than the limit: not a fault.
    if (code === 'ERR_BUFFER_TOO_LARGE') return null;
    if (error instanceof Error && code?.startsWith('Z_'))
      return { code: 'data-broken', message: `its pixel data is corrupt (${error.message})` };
    throw error;
  }
}

interface Pass {
  /** Bytes of a row, including its filter byte. */
  stride: number;
  rows: number;
}

function passesOf({ width, height, bitsPerPixel, interlaced }: PixelFormat): Pass[] {
  const pass = (columns: number, rows: number): Pass => ({
    stride: columns > 0 ? Math.ceil((columns * bitsPerPixel) / 8) + 1 : 0,
    rows: columns > 0 ? rows : 0,
  });
  if (!interlaced) return [pass(width, height)];
  return PASSES.map(([column, columnStep, row, rowStep]) =>
    pass(Math.ceil((width - column) / columnStep), Math.max(0, Math.ceil((height - row) / rowStep))),
  );
}

/** Decoders stop at a row with an unknown filter. */
function filterFault(data: Buffer, passes: readonly Pass[]): Fault | null {
  let at = 0;
  for (const { stride, rows } of passes) {
    for (let row = 0; row < rows && at < data.length; row += 1, at += stride) {
      const filter = data.readUInt8(at);
      if (filter > 4)
        return { code: 'data-broken', message: `a row of pixels has the filter ${filter}, which does not exist` };
    }
  }
  return null;
}
