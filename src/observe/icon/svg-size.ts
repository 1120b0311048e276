/** The size of an SVG, from the attributes of its root element, as browsers read them. */

/** Pixels per unit, as CSS defines them. */
const PIXELS: Partial<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
  q: 96 / 101.6,
};
/** Units that depend on a font or a viewport: only their sign is known. */
const RELATIVE = /^(?:r?(?:em|ex|ch|cap|ic|lh)|[sld]?v(?:w|h|i|b|min|max)|cq(?:w|h|i|b|min|max))$/;
/** A number of CSS and SVG: a period is followed by a digit. */
const NUMBER = String.raw`[+-]?(?:\d{1,40}(?:\.\d{1,40})?|\.\d{1,40})(?:e[+-]?\d{1,4})?`;
const LENGTH = new RegExp(String.raw`^\s*(${NUMBER})([a-z]{0,5})\s*$`, 'i');
const SEPARATOR = String.raw`(?:[ \t\r\n]+(?:,[ \t\r\n]*)?|,[ \t\r\n]*|(?=[+-])|(?<=\.\d+)(?=\.))`;
const VIEW_BOX = new RegExp(
  String.raw`^[ \t\r\n]*${[1, 2, 3, 4].map(() => `(${NUMBER})`).join(SEPARATOR)}[ \t\r\n]*$`,
  'i',
);
/** Characters of an attribute that are read; longer ones are not numbers. */
const MAX_LENGTH = 400;

interface SizeAttributes {
  width: string | undefined;
  height: string | undefined;
  viewBox: string | undefined;
}

/** Width and height in pixels; null for one that depends on its context. Zero or less shows nothing. */
export function sizeOf({ width, height, viewBox }: SizeAttributes): { width: number | null; height: number | null } {
  const [, , , boxWidth, boxHeight] = VIEW_BOX.exec((viewBox ?? '').slice(0, MAX_LENGTH)) ?? [];
  const box = [Number(boxWidth), Number(boxHeight)];
  // A negative or infinite viewBox is ignored; one without extent shows nothing in any case.
  const [x = null, y = null] = box.every((side) => Number.isFinite(side) && side >= 0) ? box : [];
  return { width: extent(width, x), height: extent(height, y) };
}

function extent(length: string | undefined, box: number | null): number | null {
  return box === 0 ? 0 : (pixels(length) ?? box);
}

/** A length in pixels; null for one that depends on its context, or is not a length. */
function pixels(length: string | undefined): number | null {
  const [, number, name = ''] = LENGTH.exec((length ?? '').slice(0, MAX_LENGTH)) ?? [];
  const value = Number(number);
  if (!Number.isFinite(value)) return null;
  const unit = name.toLowerCase();
  if (RELATIVE.test(unit)) return value <= 0 ? value : null;
  const scale = PIXELS[unit];
  return scale === undefined ? null : Math.round(value * scale * 1000) / 1000;
}
