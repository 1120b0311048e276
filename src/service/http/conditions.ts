import { createHash } from 'node:crypto';
import type { Context } from 'hono';

/** The entity tag of bytes. */
export function tagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
}

/** True if the client has the representation with this tag (RFC 9110 section 13.1.2: weak comparison). */
export function isKnown(c: Context, tag: string): boolean {
  const known = c.req.header('if-none-match');
  if (known === undefined) return false;
  return known.trim() === '*' || [...known.matchAll(/"[^"]*"/g)].some(([one]) => one === tag);
}
