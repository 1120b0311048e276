import { appOf, listApps, listInstallable, packedReportOf } from '../storage/catalog.ts';
import { versionsOf } from '../storage/versions.ts';
import type { Service } from '../context.ts';
import type { Db } from '../storage/database.ts';
import { unpackText } from '../storage/packed.ts';
import { safeJsonText } from '../../core/text/text.ts';
import { subscriptionOf } from '../storage/subscriptions.ts';
import { isKnown, tagOf } from '../http/conditions.ts';
import { iconAnswer } from '../http/icon.ts';
import { json, notFound, Refusal } from '../http/problems.ts';
import { invalid, pageIn, searchIn, visibleIn } from './query.ts';
import type { Route } from '../http/routes.ts';

/** The apps of registries, and their status. */
export function appRoutes({ db }: Service): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/apps',
      access: 'organization',
      async answer(c, { id }) {
        const page = pageIn(c);
        if (page.after !== null && !/^[0-9a-f-]{36}\./.test(page.after))
          throw invalid('after', 'is not the “next” of a page before.');
        return json(c, await listInstallable(db, id, { search: searchIn(c), ...page }));
      },
    },
    {
      method: 'GET',
      path: '/api/registries/{id}/apps',
      access: 'organization',
      async answer(c, { id }) {
        const asked = { search: searchIn(c), visible: visibleIn(c), ...pageIn(c) };
        const page = await listApps(db, id, c.req.param('id')!, asked);
        if (page === null) throw notFound('registry');
        return json(c, page);
      },
    },
    {
      method: 'GET',
      path: '/api/registries/{id}/apps/{key}',
      access: 'organization',
      async answer(c, { id }) {
        const app = await appOf(db, id, c.req.param('id')!, c.req.param('key')!);
        if (app === null) throw notFound('app');
        return json(c, app);
      },
    },
    {
      method: 'GET',
      path: '/api/registries/{id}/apps/{key}/versions',
      access: 'organization',
      async answer(c, { id }) {
        const page = await versionsOf(db, id, c.req.param('id')!, c.req.param('key')!, pageIn(c));
        if (page === null) throw notFound('app');
        return json(c, page);
      },
    },
    {
      method: 'GET',
      path: '/api/registries/{id}/report',
      access: 'organization',
      async answer(c, { id }) {
        const registry = c.req.param('id')!;
        const packed = await packedReportOf(db, id, registry);
        if (packed === null) throw await noReport(db, id, registry);
        const headers = { 'cache-control': 'private, no-cache', etag: tagOf(packed) };
        if (isKnown(c, headers.etag)) return c.body(null, 304, headers);
        // Large registries have large reports: the text is escaped directly, not parsed and serialized again.
        const text = safeJsonText(await unpackText(packed));
        return c.body(text, 200, { ...headers, 'content-type': 'application/json' });
      },
    },
    {
      method: 'GET',
      path: '/api/icons/{sha256}',
      access: 'organization',
      answer: (c, { id }) => iconAnswer(c, db, id, c.req.param('sha256')!),
    },
  ];
}

async function noReport(db: Db, organizationId: string, subscriptionId: string): Promise<Refusal> {
  if ((await subscriptionOf(db, organizationId, subscriptionId)) === null) return notFound('registry');
  return new Refusal('not-found', 'There is no report yet: the registry has not been checked.');
}
