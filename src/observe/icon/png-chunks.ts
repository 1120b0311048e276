import type { ImageFacts } from '../../core/facts/facts.ts';
import { counted } from '../../core/text/text.ts';

/** Rules of decoders for single chunks of a PNG: the palette, the frames of an animation, and the size of the image. */

type Fault = NonNullable<ImageFacts['fault']>;

const PALETTE_ENTRIES = 256;
/** Chromium decodes no wider or higher image, and none with as many pixels. */
const SIDE_LIMIT = 1_000_000;
const PIXEL_LIMIT = 2 ** 29;
const FRAME_BYTES = 26;

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

/** What is wrong with a palette; null if nothing is. */
export function paletteFault(
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
export function sizeFault(width: number, height: number): Fault | null {
  if (width <= SIDE_LIMIT && height <= SIDE_LIMIT && width * height < PIXEL_LIMIT) return null;
  return { code: 'dimensions', message: `it has ${width} by ${height} pixels, more than browsers decode` };
}

/** Checks the frames of an animation (APNG) as far as the image depends on them: up to the first one. */
export class Animation {
  private readonly width: number;
  private readonly height: number;
  /** Whether an acTL chunk announced frames. */
  private isDeclared = false;
  private frames = 0;
  private sequence = 0;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
  }

  /** True if the image is that of the first frame, whose pixels are in fdAT chunks. */
  get hasNoFrame(): boolean {
    return this.isDeclared && this.frames === 0;
  }

  /** Takes a chunk with a correct checksum, in front of the pixels. */
  add(type: string, data: Buffer): Fault | null {
    if (type === 'fdAT') return this.fault('the pixels of a frame (fdAT chunk) precede the image');
    if (type === 'acTL' && data.length === 8) this.isDeclared = data.readUInt32BE(0) > 0;
    if (type !== 'fcTL') return null;
    this.frames += 1;
    if (data.length !== FRAME_BYTES) return this.fault(`a frame (fcTL chunk) has ${counted(data.length, 'byte')}`);
    const [number, width, height, x, y] = [0, 4, 8, 12, 16].map((at) => data.readUInt32BE(at));
    if (number !== this.sequence) return this.fault(`a frame has the number ${number} instead of ${this.sequence}`);
    this.sequence += 1;
    if (width !== this.width || height !== this.height || x !== 0 || y !== 0)
      return this.fault('the first frame does not cover the image');
    if (data.readUInt8(24) > 2 || data.readUInt8(25) > 1)
      return this.fault('a frame has an unknown way to be disposed of or blended');
    return null;
  }

  /** Takes a chunk behind the pixels; a frame there matters only if none precedes them. */
  addAfter(type: string, data: Buffer): void {
    if (type === 'fcTL' && data.length === FRAME_BYTES && data.readUInt32BE(0) === this.sequence) this.frames += 1;
  }

  private fault(message: string): Fault {
    return { code: 'animation', message: `its animation is not valid: ${message}` };
  }
}
