/** The form of a color, `#RRGGBB`, as a regular expression in JSON Schema, too. */
export const COLOR_PATTERN = '^#[0-9a-fA-F]{6}$';

const COLOR = new RegExp(COLOR_PATTERN);

/** True for a color of an app (spec 2.1): `#RRGGBB`. */
export function isColor(text: string): boolean {
  return COLOR.test(text);
}

/** True if black has more contrast than white on a color, `#RRGGBB` (relative luminance, WCAG 2). */
export function isLight(color: string): boolean {
  const luminance = 0.2126 * channel(color, 1) + 0.7152 * channel(color, 3) + 0.0722 * channel(color, 5);
  return luminance > 0.179;
}

/** The linear value of a channel, from 0 to 1. @param start the index of its digits */
function channel(color: string, start: number): number {
  const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
