import { safeJsonText } from 'appreg';
import { type Service } from '../context.ts';
import { type Route, organizationRoute, type WebContext } from '../http/routes.ts';
import { iconAnswer } from '../http/icon-answer.ts';
import { pathParameter, pageQuery, queryIn, searchIn, visibleIn } from '../http/query.ts';
import { type Db } from '../db/database.ts';
import { taggedJson, entityTag, isNotModified } from '../http/conditions.ts';
import { listInstallable, listApps, appOf } from '../db/apps.ts';
import { orNotFound, json, Refusal, NotFound } from '../http/problems.ts';
import { versionsOf } from '../db/versions.ts';
import { packedReportOf } from '../db/registries.ts';
import { unpackText } from '../db/packed.ts';
import { isSubscribed } from '../db/subscriptions.ts';
import * as shape from '../domain/shape.ts';
import { appSchema, installable, version } from '../domain/apps.ts';
import * as openapi from '../http/operations.ts';
import { LONGEST_SEARCH } from '../db/page.ts';

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

export const appSchemas: Record<string, shape.Schema> = {
  App: appSchema,
  Apps: shape.strictObject('A page of apps, by key.', { apps: shape.list(shape.ref('App')), next: shape.next }),
  InstallableApps: shape.strictObject('A page of apps, by key, with the registry that offers each.', {
    apps: shape.list(installable),
    next: shape.next,
  }),
  Versions: shape.strictObject('A page of versions, highest first.', {
    versions: shape.list(version),
    next: shape.next,
  }),
};

const KEY = openapi.parameter('key', 'path', 'App key.', { type: 'string' });
const SEARCH = openapi.parameter(
  'search',
  'query',
  'Words to search for: each must occur in the key, name or description.',
  {
    type: 'string',
    maxLength: LONGEST_SEARCH,
  },
);
const VISIBLE = openapi.parameter('visible', 'query', 'Only apps that can be installed, or only those that cannot.', {
  type: 'boolean',
});

/** Apps, versions and icons. */
export const appsPaths: Record<string, openapi.OpenApiObject> = {
  '/api/registries/{id}/apps': {
    parameters: [openapi.ID],
    get: openapi.forOrganization(
      'listApps',
      'The apps of a registry',
      { ...openapi.pageResponses('Apps'), ...openapi.NOT_FOUND },
      { parameters: [SEARCH, VISIBLE, ...openapi.PAGE, openapi.IF_NONE_MATCH] },
    ),
  },
  '/api/registries/{id}/apps/{key}': {
    parameters: [openapi.ID, KEY],
    get: openapi.forOrganization('getApp', 'One app, even if it is no longer in the manifest', {
      200: openapi.response('The app.', 'App'),
      ...openapi.NOT_FOUND,
    }),
  },
  '/api/registries/{id}/apps/{key}/versions': {
    parameters: [openapi.ID, KEY],
    get: openapi.forOrganization(
      'listVersions',
      'All versions of an app that were ever listed',
      { ...openapi.pageResponses('Versions'), ...openapi.NOT_FOUND },
      { parameters: [...openapi.PAGE, openapi.IF_NONE_MATCH] },
    ),
  },
  '/api/apps': {
    get: openapi.forOrganization(
      'listInstallable',
      'All apps that can be installed, from all registries',
      openapi.pageResponses('InstallableApps'),
      { parameters: [SEARCH, ...openapi.PAGE, openapi.IF_NONE_MATCH] },
    ),
  },
  '/api/icons/{sha256}': {
    parameters: [
      openapi.parameter('sha256', 'path', '“icon” of an app.', { type: 'string', pattern: '^[0-9a-f]{64}$' }),
    ],
    get: openapi.forOrganization(
      'getIcon',
      'An icon',
      {
        200: {
          description: 'The image.',
          content: { 'image/png': {}, 'image/svg+xml': {} },
          headers: openapi.headersOf(['ETag']),
        },
        ...openapi.NOT_MODIFIED,
        ...openapi.NOT_FOUND,
      },
      { parameters: [openapi.IF_NONE_MATCH] },
    ),
  },
};
