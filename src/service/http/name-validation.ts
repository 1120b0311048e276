import { isBlank } from '../../core/text/text.ts';

/** Maximum characters of the name of a registry, an organization or a token. */
export const LONGEST_NAME = 100;

// Controls, lone surrogates, Unicode line breaks, bidirectional controls. Joiners are allowed: emoji need them.
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

/** Why a text cannot be the name of a registry or an organization, worded to follow “The name”; or null. */
export function nameError(text: string): string | null {
  if (isBlank(text)) return 'is empty.';
  if ([...text.trim()].length > LONGEST_NAME) return `is longer than ${LONGEST_NAME} characters.`;
  return INVISIBLE.test(text) ? 'contains invisible characters.' : null;
}
