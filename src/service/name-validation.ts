import { isBlank } from '../core/text/text.ts';

const LIMIT = 100;

// Controls, lone surrogates, line breaks of Unicode, marks that turn the direction of writing. Joiners stay: emoji need them.
const UNSHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

/** What keeps a text from being the name of a registry or an organization, in words that follow “The name”; or null. */
export function nameError(text: string): string | null {
  if (isBlank(text)) return 'is empty.';
  if ([...text.trim()].length > LIMIT) return `is longer than ${LIMIT} characters.`;
  return UNSHOWN.test(text) ? 'has characters that cannot be shown.' : null;
}
