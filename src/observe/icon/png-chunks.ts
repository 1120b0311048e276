import type { ImageFacts } from '../../core/facts/facts.ts';
import { counted } from '../../core/text/text.ts';

/** Rules of decoders for the palette of a PNG, and for its size. */

type Fault = NonNullable<ImageFacts['fault']>;

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
