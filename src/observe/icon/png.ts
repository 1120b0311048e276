import { crc32 } from 'node:zlib';
import type { ImageFacts } from '../../core/facts/facts.ts';
import { counted } from '../../core/text/text.ts';
import { type PixelFormat, pixelFault } from './png-pixels.ts';

/** Rules of decoders for the palette of a PNG, and for its size. */

const PALETTE_ENTRIES = 256;
/** Chromium decodes no wider or higher image, and none with as many pixels. */
const SIDE_LIMIT = 1_000_000;
const PIXEL_LIMIT = 2 ** 29;

interface Colors {
  colorType: number;
  depth: number;
}

interface PaletteFault {
  fault: Fault;
  /** True if decoders show the image nevertheless. */
  ignored: boolean;
}

function fatal(message: string): PaletteFault {
  return { fault: { code: 'palette', message }, ignored: false };
}

function loose(message: string): PaletteFault {
  return { fault: { code: 'palette-ignored', message: `${message}, which decoders ignore` }, ignored: true };
}

function paletteFault(
  bytes: number,
  { colorType, depth }: Colors,
  place: { isSecond: boolean; isAfterPixels: boolean },
): PaletteFault | null {
  const needed = colorType === 3;
  if (place.isSecond) return fatal('it has two palettes (PLTE chunks)');
  if (place.isAfterPixels) {
    const message = 'its palette (PLTE chunk) follows the pixels';
    return needed ? fatal(message) : loose(message);
  }
  if (bytes < 3 || bytes > PALETTE_ENTRIES * 3)
    return fatal(`its palette (PLTE chunk) has ${counted(bytes, 'byte')}; 3 to ${PALETTE_ENTRIES * 3} are allowed`);
  if (bytes % 3 !== 0) {
    const message = `its palette (PLTE chunk) has ${counted(bytes, 'byte')}, not a multiple of three`;
    return needed ? fatal(message) : loose(message);
  }
  if (colorType === 0 || colorType === 4) return loose('it has a palette (PLTE chunk), although it is grayscale');
  const used = needed ? 2 ** depth : PALETTE_ENTRIES;
  return bytes / 3 > used ? loose(`its palette has ${bytes / 3} colors, more than its ${used} values`) : null;
}

/** The size of an image that decoders do not accept; null if they do. */
function sizeFault(width: number, height: number): Fault | null {
  if (width <= SIDE_LIMIT && height <= SIDE_LIMIT && width * height < PIXEL_LIMIT) return null;
  return { code: 'dimensions', message: `it has ${width} by ${height} pixels, more than browsers decode` };
}

interface Header extends PixelFormat {
  colorType: number;
  depth: number;
}
type Fault = NonNullable<ImageFacts['fault']>;

const SIGNATURE_BYTES = 8;
// By color type: samples per pixel, and the bit depths that it allows.
const COLOR_TYPES: Partial<Record<number, readonly [samples: number, depths: readonly number[]]>> = {
  0: [1, [1, 2, 4, 8, 16]],
  2: [3, [8, 16]],
  3: [1, [1, 2, 4, 8]],
  4: [2, [8, 16]],
  6: [4, [8, 16]],
};
/** Chunks of an animation. */
const ANIMATION = new Set(['acTL', 'fcTL', 'fdAT']);

/**
 * Reads a PNG chunk by chunk (W3C PNG), as a decoder would, up to its pixels. Of an animation, the image for decoders
 * without animations is read, not the frames.
 */
export function inspectPng(bytes: Uint8Array): ImageFacts {
  const state: PngState = {
    header: null,
    isAnimated: false,
    pixels: [],
    hasPalette: false,
    before: '',
    ignored: null,
  };
  const fault = findFault(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), state);
  const { width = null, height = null } = state.header ?? {};
  const facts: ImageFacts = { kind: 'png', width, height, fault, active: [] };
  return state.isAnimated ? { ...facts, unread: 'frames' } : facts;
}

/** Parts that were read so far. */
interface PngState {
  header: Header | null;
  isAnimated: boolean;
  pixels: Buffer[];
  hasPalette: boolean;
  /** The type of the chunk before. */
  before: string;
  /** A fault that decoders ignore. */
  ignored: Fault | null;
}

function findFault(bytes: Buffer, state: PngState): Fault | null {
  let at = SIGNATURE_BYTES;
  for (;;) {
    if (at + 8 > bytes.length)
      return { code: 'truncated', message: `the file ends at byte ${bytes.length}, before the image's end` };
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (!/^[a-z]{4}$/i.test(type)) return { code: 'chunk', message: `no chunk begins at byte ${at}` };
    if (at + 12 + length > bytes.length)
      return { code: 'truncated', message: `the file ends in the middle of its ${type} chunk` };
    const isSound = crc32(bytes.subarray(at + 4, at + 8 + length)) === bytes.readUInt32BE(at + 8 + length);
    // Decoders skip ancillary chunks that are broken.
    if (!isSound && /^[A-Z]/.test(type))
      return { code: 'crc', message: `the checksum of its ${type} chunk does not match` };
    at += 12 + length;
    if (type === 'IEND' && state.header !== null) break;
    const fault = isSound || state.header === null ? chunkFault(type, data, state) : null;
    if (fault !== null) return fault;
    state.before = type;
  }
  return imageFault(state, bytes.length - at);
}

function chunkFault(type: string, data: Buffer, state: PngState): Fault | null {
  const { header, pixels } = state;
  if (header === null) return firstChunkFault(type, data, state);
  if (type === 'PLTE') {
    const place = { isSecond: state.hasPalette, isAfterPixels: pixels.length > 0 };
    const found = paletteFault(data.length, header, place);
    state.hasPalette = true;
    if (found?.ignored === false) return found.fault;
    state.ignored ??= found?.fault ?? null;
    return null;
  }
  if (type === 'IDAT') {
    if (pixels.length > 0 && state.before !== 'IDAT')
      return { code: 'chunk', message: 'its IDAT chunks are not consecutive' };
    pixels.push(data);
    return null;
  }
  if (/^[A-Z]/.test(type))
    return { code: 'chunk', message: `it needs the chunk ${type}, which decoders do not support` };
  state.isAnimated ||= ANIMATION.has(type);
  return null;
}

function firstChunkFault(type: string, data: Buffer, state: PngState): Fault | null {
  if (type === 'CgBI')
    return { code: 'apple', message: "it is in Apple's own variant of PNG, which browsers do not show" };
  state.header = type === 'IHDR' ? readHeader(data) : null;
  if (state.header === null) return { code: 'header', message: 'its IHDR chunk is missing or not valid' };
  const { width, height } = state.header;
  return sizeFault(width, height);
}

/** @param rest the bytes after the end */
function imageFault({ header, pixels, hasPalette, ignored }: PngState, rest: number): Fault | null {
  if (header === null || pixels.length === 0) return { code: 'no-data', message: 'it has no pixels (IDAT chunk)' };
  if (header.colorType === 3 && !hasPalette)
    return { code: 'no-palette', message: 'its palette (PLTE chunk) is missing' };
  const fault = pixelFault(Buffer.concat(pixels), header) ?? ignored;
  if (fault !== null || rest === 0) return fault;
  return { code: 'trailing-data', message: `${counted(rest, 'byte')} after the end of the image` };
}

function readHeader(data: Buffer): Header | null {
  if (data.length !== 13) return null;
  const width = data.readUInt32BE(0);
  const height = data.readUInt32BE(4);
  const depth = data.readUInt8(8);
  const color = data.readUInt8(9);
  const compression = data.readUInt8(10);
  const filter = data.readUInt8(11);
  const interlace = data.readUInt8(12);
  const [samples, depths] = COLOR_TYPES[color] ?? [0, []];
  if (width === 0 || height === 0 || width >= 2 ** 31 || height >= 2 ** 31) return null;
  if (!depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1) return null;
  return { width, height, bitsPerPixel: samples * depth, colorType: color, depth, interlaced: interlace === 1 };
}
