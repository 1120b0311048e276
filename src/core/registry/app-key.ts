import { normalized } from '../text/normalized.ts';

/** App keys: the property names inside `apps`, used in URLs (spec 2.1). */

const SAFE = /^[A-Za-z0-9_-]+$/;

/** True for a URL-safe key: ASCII letters, digits, hyphens, underscores. */
export function isSafeKey(key: string): boolean {
  return SAFE.test(key);
}

/** A URL-safe key that resembles a text, or null when nothing usable remains. */
export function safeKeyFor(text: string): string | null {
  const key = normalized(text, 'NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .trim()
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .toLowerCase();
  return isSafeKey(key) && key.length <= 64 ? key : null;
}
