import { constants, inflateSync } from 'node:zlib';
import type { ImageFacts } from '../../core/facts/facts.ts';
import { counted } from '../../core/text/text.ts';
import { systemErrorCode } from '../../platform/system-error.ts';

/** The pixels of a PNG: whether their data is complete, and can be decoded. */

type Fault = NonNullable<ImageFacts['fault']>;

/** The size of an image or of a frame, and how its pixels are stored. */
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

/** What is wrong with compressed pixels; null if nothing is. */
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

// The animation of a PNG (APNG): frames (fcTL chunks), and their pixels (fdAT chunks).

const FRAME_BYTES = 26;
const NUMBER_BYTES = 4;

/** A frame whose pixels are in fdAT chunks. */
interface Frame {
  format: PixelFormat;
  pixels: Buffer[];
}

/**
 * Checks an animation as Chromium reads it. If a frame precedes the pixels, these are the first frame, and faults of
 * the others only disturb the animation. Otherwise, the image is that of the first frame behind the pixels.
 */
export class Animation {
  private readonly format: PixelFormat;
  /** Whether an acTL chunk announced frames. */
  private isDeclared = false;
  /** Whether the pixels of the image are the first frame. */
  private showsImage = false;
  private readonly later: Frame[] = [];
  private sequence = 0;
  /** Why no further frame is read. */
  private end: string | null = null;

  constructor(format: PixelFormat) {
    this.format = format;
  }

  /** Takes a chunk with a correct checksum, in front of the pixels. */
  add(type: string, data: Buffer): Fault | null {
    if (type === 'fdAT') return fatal('the pixels of a frame (fdAT chunk) precede the image');
    if (type === 'acTL' && data.length === 8) this.isDeclared = data.readUInt32BE(0) > 0;
    if (type !== 'fcTL') return null;
    const { width, height } = this.format;
    const frame = this.frame(data);
    if (typeof frame === 'string') return fatal(frame);
    if (frame.format.width !== width || frame.format.height !== height)
      return fatal('the first frame does not cover the image');
    this.showsImage = true;
    return null;
  }

  /** Takes a chunk behind the pixels. */
  addAfter(type: string, data: Buffer): void {
    if (!this.isDeclared || this.end !== null) return;
    if (type === 'fcTL') {
      const frame = this.frame(data);
      if (typeof frame === 'string') this.end = frame;
      else this.later.push(frame);
    } else if (type === 'fdAT') this.end = this.addPixels(data);
  }

  /** What is wrong with the animation, at the end of the file; `isIgnored`: the first frame is shown. */
  fault(): { fault: Fault; isIgnored: boolean } | null {
    if (!this.isDeclared) return null;
    if (!this.showsImage && this.later.length === 0)
      return {
        fault: fatal(this.end ?? 'it is declared (acTL chunk), but has no frame'),
        isIgnored: false,
      };
    let budget = INFLATE_LIMIT;
    for (const [index, { format, pixels }] of this.later.entries()) {
      budget -= Math.ceil((format.width * format.bitsPerPixel) / 8) * format.height;
      if (budget < 0) break;
      const found = frameFault(format, pixels);
      if (found === null) continue;
      // The last frame lacks what could not be read.
      const why = index === this.later.length - 1 ? (this.end ?? found) : found;
      const isFirst = !this.showsImage && index === 0;
      return isFirst ? { fault: fatal(why), isIgnored: false } : loose(why);
    }
    return this.end === null ? null : loose(this.end);
  }

  /** The frame that an fcTL chunk describes, or what is wrong with it. */
  private frame(data: Buffer): Frame | string {
    if (data.length !== FRAME_BYTES) return `a frame (fcTL chunk) has ${counted(data.length, 'byte')}`;
    const [number = 0, width = 0, height = 0, x = 0, y = 0] = [0, 4, 8, 12, 16].map((at) => data.readUInt32BE(at));
    if (number !== this.sequence) return `a frame has the number ${number} instead of ${this.sequence}`;
    this.sequence += 1;
    if (width === 0 || height === 0) return 'a frame has no pixels';
    if (x + width > this.format.width || y + height > this.format.height) return 'a frame is larger than the image';
    if (data.readUInt8(24) > 2 || data.readUInt8(25) > 1)
      return 'a frame has an unknown way to be disposed of or blended';
    return { format: { ...this.format, width, height }, pixels: [] };
  }

  /** @returns what is wrong with an fdAT chunk */
  private addPixels(data: Buffer): string | null {
    const frame = this.later.at(-1);
    if (frame === undefined) return 'the pixels of a frame (fdAT chunk) precede the frame';
    if (data.length < NUMBER_BYTES)
      return `the pixels of a frame (fdAT chunk) have only ${counted(data.length, 'byte')}`;
    const number = data.readUInt32BE(0);
    if (number !== this.sequence)
      return `the pixels of a frame (fdAT chunk) have the number ${number} instead of ${this.sequence}`;
    this.sequence += 1;
    frame.pixels.push(data.subarray(NUMBER_BYTES));
    return null;
  }
}

function frameFault(format: PixelFormat, pixels: readonly Buffer[]): string | null {
  if (pixels.length === 0) return 'a frame has no valid pixels (fdAT chunk)';
  const fault = pixelFault(Buffer.concat(pixels), format);
  return fault === null ? null : `in a frame, ${fault.message}`;
}

function fatal(message: string): Fault {
  return { code: 'animation', message: `its animation is not valid: ${message}` };
}

function loose(message: string): { fault: Fault; isIgnored: boolean } {
  const fault = { code: 'frame', message: `its animation is disturbed: ${message}` };
  return { fault, isIgnored: true };
}
