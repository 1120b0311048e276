import { type Context } from 'hono';
import { type Db } from '../db/database.ts';
import { iconFor } from '../db/icons.ts';
import { Refusal } from './problems.ts';
import { isNotModified } from './conditions.ts';

/**
 * An icon that an app shows in a registry of the organization. It is untrusted: its scripts never run, and browsers do
 * not sniff its type. Its URL contains its digest, so it never changes.
 * @throws Refusal if this organization has no such icon
 */
export async function iconAnswer(c: Context, db: Db, organizationId: string, sha256: string): Promise<Response> {
  const icon = await iconFor(db, organizationId, sha256);
  // An image is missing, not a page.
  if (icon === null) throw new Refusal('not-found', 'The icon does not exist.');
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
