/**
 * A placeholder icon for an app: a letter of its key on its color.
 * @param key URL-safe; @param color `#RRGGBB`
 */
export function placeholderIcon(key: string, color: string): string {
  const letter = (/[A-Za-z0-9]/.exec(key)?.[0] ?? '?').toUpperCase();
  return `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">
  <rect width="64" height="64" rx="12" fill="${color}"/>
  <text x="32" y="45" font-family="sans-serif" font-size="36" font-weight="bold" text-anchor="middle" fill="${inkOn(color)}">${letter}</text>
</svg>
`;
}

/** White or near-black, whichever has the better contrast with a color (relative luminance, WCAG 2). */
function inkOn(color: string): string {
  const luminance = 0.2126 * channel(color, 1) + 0.7152 * channel(color, 3) + 0.0722 * channel(color, 5);
  return luminance > 0.179 ? '#111111' : '#ffffff';
}

/** The linear value of a channel, from 0 to 1. @param start the index of its digits */
function channel(color: string, start: number): number {
  const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
  return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
