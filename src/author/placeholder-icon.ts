import { isLight } from '../core/text/color.ts';

/**
 * A placeholder icon for an app: a letter of its key on its color.
 * @param key URL-safe
 * @param color `#RRGGBB`
 */
export function placeholderIcon(key: string, color: string): string {
  const letter = (/[A-Za-z0-9]/.exec(key)?.[0] ?? '?').toUpperCase();
  return `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">
  <rect width="64" height="64" rx="12" fill="${color}"/>
  <text x="32" y="45" font-family="sans-serif" font-size="36" font-weight="bold" text-anchor="middle" fill="${isLight(color) ? '#111111' : '#ffffff'}">${letter}</text>
</svg>
`;
}
