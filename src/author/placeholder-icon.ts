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
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#111111' : '#ffffff';
}
