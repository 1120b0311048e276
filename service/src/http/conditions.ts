import { safeJson } from 'appreg';
import { createHash } from 'node:crypto';
import { type Context } from 'hono';

export function entityTag(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
}

/** True if the client has the representation with this tag (RFC 9110 section 13.1.2: weak comparison). */
export function isNotModified(c: Context, tag: string): boolean {
  const known = c.req.header('if-none-match');
  if (known === undefined) return false;
  return known.trim() === '*' || [...known.matchAll(/"[^"]*"/g)].some(([one]) => one === tag);
}

/**
 * False if the client wants the representation only with other tags (RFC 9110 section
 * 13.1.1: strong comparison, so that a weak tag never matches).
 */
export function isExpected(c: Context, tag: string): boolean {
  const wanted = c.req.header('if-match');
  if (wanted === undefined || wanted.trim() === '*') return true;
  return [...wanted.matchAll(/(?:W\/)?"[^"]*"/g)].some(([one]) => one === tag);
}

/** A JSON response with an entity tag: a client that has it already gets only the tag. */
export function taggedJson(c: Context, value: unknown): Response {
  const text = `${safeJson(value, 0)}\n`;
  const headers = { 'cache-control': 'private, no-cache', etag: entityTag(Buffer.from(text)) };
  if (isNotModified(c, headers.etag)) return c.body(null, 304, headers);
  return c.body(text, 200, { ...headers, 'content-type': 'application/json' });
}
