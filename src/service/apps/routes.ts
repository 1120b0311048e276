import { safeJsonText } from '../../core/text/text.ts';
import type { Service } from '../context.ts';
import { isNotModified, taggedJson, entityTag } from '../http/conditions.ts';
import { pathParameter, pageQuery, queryIn, searchIn, visibleIn } from '../http/query.ts';
import { json, NotFound, Refusal, orNotFound } from '../http/problems.ts';
import { organizationRoute, type Route, type WebContext } from '../http/routes.ts';
import { appOf, listApps, listInstallable, iconFor } from './store.ts';
import type { Db } from '../database/database.ts';
import { unpackText } from '../database/packed.ts';
import { packedReportOf } from '../registries/store.ts';
import { isSubscribed } from '../registries/subscriptions-store.ts';
import { versionsOf } from './versions-store.ts';
import type { Context } from 'hono';

/** The apps of registries, and their status. */
export function appRoutes({ db }: Service): Route[] {
  return [
    organizationRoute('GET', '/api/apps', 'read', (c, { id }) => getInstallableApps(c, db, id)),
    organizationRoute('GET', '/api/registries/{id}/apps', 'read', (c, { id }) => getApps(c, db, id)),
    organizationRoute('GET', '/api/registries/{id}/apps/{key}', 'read', (c, { id }) => getApp(c, db, id)),
    organizationRoute('GET', '/api/registries/{id}/apps/{key}/versions', 'read', (c, { id }) => getVersions(c, db, id)),
    organizationRoute('GET', '/api/registries/{id}/report', 'read', (c, { id }) => getReport(c, db, id)),
    organizationRoute('GET', '/api/icons/{sha256}', 'read', (c, { id }) =>
      iconAnswer(c, db, id, pathParameter(c, 'sha256')),
    ),
  ];
}

async function getInstallableApps(c: WebContext, db: Db, organizationId: string): Promise<Response> {
  const page = pageQuery((text) => /^[0-9a-f-]{36}\./.test(text));
  return taggedJson(c, await listInstallable(db, organizationId, queryIn(c, { search: searchIn, ...page })));
}

async function getApps(c: WebContext, db: Db, organizationId: string): Promise<Response> {
  const query = queryIn(c, { search: searchIn, visible: visibleIn, ...pageQuery() });
  return taggedJson(c, orNotFound(await listApps(db, organizationId, pathParameter(c, 'id'), query), 'registry'));
}

async function getApp(c: WebContext, db: Db, organizationId: string): Promise<Response> {
  return json(c, orNotFound(await appOf(db, organizationId, pathParameter(c, 'id'), pathParameter(c, 'key')), 'app'));
}

async function getVersions(c: WebContext, db: Db, organizationId: string): Promise<Response> {
  return taggedJson(
    c,
    orNotFound(
      await versionsOf(db, organizationId, pathParameter(c, 'id'), pathParameter(c, 'key'), queryIn(c, pageQuery())),
      'app',
    ),
  );
}

async function getReport(c: WebContext, db: Db, organizationId: string): Promise<Response> {
  const subscriptionId = pathParameter(c, 'id');
  const packed = await packedReportOf(db, organizationId, subscriptionId);
  if (packed === null) throw await noReport(db, organizationId, subscriptionId);
  const headers = { 'cache-control': 'private, no-cache', etag: entityTag(packed) };
  if (isNotModified(c, headers.etag)) return c.body(null, 304, headers);
  // Large registries have large reports: the text is escaped directly, not parsed and serialized again.
  const text = safeJsonText(await unpackText(packed));
  return c.body(text, 200, { ...headers, 'content-type': 'application/json' });
}

async function noReport(db: Db, organizationId: string, subscriptionId: string): Promise<Refusal> {
  if (!(await isSubscribed(db, organizationId, subscriptionId))) return new NotFound('registry');
  return new Refusal('not-found', 'No report yet: the registry has not been checked.');
}

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
