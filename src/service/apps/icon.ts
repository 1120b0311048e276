import type { Context } from 'hono';
import { iconFor } from './icons-store.ts';
import type { Db } from '../database/database.ts';
import { isNotModified } from '../http/conditions.ts';
import { notFound } from '../http/problems.ts';

/**
 * An icon that an app shows in a registry of the organization. It is untrusted: its scripts never run, and browsers do
 * not sniff its type. Its URL contains its digest, so it never changes.
 * @throws Refusal if this organization has no such icon
 */
export async function iconAnswer(c: Context, db: Db, organizationId: string, sha256: string): Promise<Response> {
  const icon = await iconFor(db, organizationId, sha256);
  if (icon === null) throw notFound('icon');
  const headers = {
    'cache-control': 'private, max-age=86400',
    vary: 'authorization, cookie',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    etag: `"${sha256}"`,
  };
  if (isNotModified(c, headers.etag)) return c.body(null, 304, headers);
  return c.body(new Uint8Array(icon.bytes), 200, { ...headers, 'content-type': icon.type });
}
