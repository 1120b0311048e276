import { safeJsonText } from '../../core/text/text.ts';
import type { Service } from '../context.ts';
import { isNotModified, taggedJson, entityTag } from '../http/conditions.ts';
import { pathParameter, pageQuery, queryIn, searchIn, visibleIn } from '../http/query.ts';
import { json, notFound, Refusal } from '../http/problems.ts';
import type { Route, WebContext } from '../http/routes.ts';
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
    {
      method: 'GET',
      path: '/api/apps',
      access: 'organization',
      scope: 'read',
      handle: (c, { id }) => getInstallableApps(c, db, id),
    },
    {
      method: 'GET',
      path: '/api/registries/{id}/apps',
      access: 'organization',
      scope: 'read',
      handle: (c, { id }) => getApps(c, db, id),
    },
    {
      method: 'GET',
      path: '/api/registries/{id}/apps/{key}',
      access: 'organization',
      scope: 'read',
      handle: (c, { id }) => getApp(c, db, id),
    },
    {
      method: 'GET',
      path: '/api/registries/{id}/apps/{key}/versions',
      access: 'organization',
      scope: 'read',
      handle: (c, { id }) => getVersions(c, db, id),
    },
    {
      method: 'GET',
      path: '/api/registries/{id}/report',
      access: 'organization',
      scope: 'read',
      handle: (c, { id }) => getReport(c, db, id),
    },
    {
      method: 'GET',
      path: '/api/icons/{sha256}',
      access: 'organization',
      scope: 'read',
      handle: (c, { id }) => iconAnswer(c, db, id, pathParameter(c, 'sha256')),
    },
  ];
}

async function getInstallableApps(c: WebContext, db: Db, organizationId: string): Promise<Response> {
  const page = pageQuery((text) => /^[0-9a-f-]{36}\./.test(text));
  return taggedJson(c, await listInstallable(db, organizationId, queryIn(c, { search: searchIn, ...page })));
}

async function getApps(c: WebContext, db: Db, organizationId: string): Promise<Response> {
  const query = queryIn(c, { search: searchIn, visible: visibleIn, ...pageQuery() });
  const page = await listApps(db, organizationId, pathParameter(c, 'id'), query);
  if (page === null) throw notFound('registry');
  return taggedJson(c, page);
}

async function getApp(c: WebContext, db: Db, organizationId: string): Promise<Response> {
  const app = await appOf(db, organizationId, pathParameter(c, 'id'), pathParameter(c, 'key'));
  if (app === null) throw notFound('app');
  return json(c, app);
}

async function getVersions(c: WebContext, db: Db, organizationId: string): Promise<Response> {
  const page = await versionsOf(
    db,
    organizationId,
    pathParameter(c, 'id'),
    pathParameter(c, 'key'),
    queryIn(c, pageQuery()),
  );
  if (page === null) throw notFound('app');
  return taggedJson(c, page);
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
  if (!(await isSubscribed(db, organizationId, subscriptionId))) return notFound('registry');
  return new Refusal('not-found', 'No report yet: the registry has not been checked.');
}

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
