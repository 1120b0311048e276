import { MAX_DEPTH, survey } from './positions.ts';
import type { JsonValue } from './values.ts';

/**
 * The value of a JSON text from outside that is not a document of a registry, such as a response or the output of a
 * program; a byte order mark is ignored. Undefined if it is not JSON, or nested more than MAX_DEPTH levels deep: what walks a
 * value calls itself for each level.
 */
export function jsonValueIn(text: string): JsonValue | undefined {
  if (survey(text, MAX_DEPTH).depth > MAX_DEPTH) return undefined;
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}
