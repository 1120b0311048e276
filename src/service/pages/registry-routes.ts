import type { Hono } from 'hono';
import { appOf, listApps, listInstallable, reportOf } from '../storage/catalog.ts';
import { versionsOf } from '../storage/versions.ts';
import type { Service } from '../context.ts';
import { refreshNow } from '../subscribe/refresh-now.ts';
import { listSubscriptions, subscriptionOf } from '../storage/subscriptions.ts';
import { iconAnswer } from '../http/icon.ts';
import type { Env } from '../http/routes.ts';
import { orNotFound, type openPageRequests } from './request.ts';
import { ICON_HEADERS } from './headers.ts';
import { findingsOf } from './findings.ts';
import { appPage, cataloguePage } from './app-page.ts';
import { registryPage, reportPage, SHOWN, type Shown } from './registry-page.ts';

/** A registry, its apps and its report; the apps of all registries; their icons. */

const LIST = '/settings/registries';
const PAGE = 100;
/** Milliseconds that a page waits for a requested check. */
const PATIENCE = 120_000;

const DONE: Record<string, string> = {
  subscribed: 'You are subscribed. Its apps become available for installation as they are verified.',
  renamed: 'The registry has its new name.',
  fresh: 'It was checked less than a minute ago; nothing newer is to be had.',
};

export function registryRoutes(page: Hono<Env>, desk: ReturnType<typeof openPageRequests>, service: Service): void {
  const { db } = service;

  page.get(
    `${LIST}/:id`,
    desk.member(`${LIST}/:id`, async ({ c, organization, now, show }) => {
      const id = c.req.param('id')!;
      const one = orNotFound(await subscriptionOf(db, organization.id, id), 'registry');
      const search = (c.req.query('q') ?? '').trim().slice(0, 200);
      const after = c.req.query('after') ?? null;
      const asked = SHOWN.find((name) => name === c.req.query('show'));
      const shown: Shown = asked ?? 'all';
      const visible = shown === 'all' ? null : shown === 'visible';
      const [report, apps] = await Promise.all([
        reportOf(db, organization.id, id),
        listApps(db, organization.id, id, { search, visible, limit: PAGE, after }),
      ]);
      const since = Number(c.req.query('asked') ?? Number.NaN);
      const waiting =
        now.getTime() - since < PATIENCE && since <= now.getTime() && Date.parse(one.checkedAt ?? '1970') < since;
      const done = DONE[c.req.query('done') ?? ''] ?? null;
      return show(
        registryPage({ one, report, ...orNotFound(apps, 'registry'), after, search, show: shown, waiting, done, now }),
      );
    }),
  );

  page.post(
    `${LIST}/:id/refresh`,
    desk.member(`${LIST}/:id/refresh`, async ({ c, organization, now, goTo }) => {
      const id = c.req.param('id')!;
      const asked = orNotFound(await refreshNow(service, organization.id, id), 'registry');
      if (!asked) return goTo(`${LIST}/${id}?done=fresh`);
      return goTo(`${LIST}/${id}?asked=${now.getTime()}`);
    }),
  );

  page.get(
    `${LIST}/:id/report`,
    desk.member(`${LIST}/:id/report`, async ({ c, organization, now, show }) => {
      const one = orNotFound(await subscriptionOf(db, organization.id, c.req.param('id')!), 'registry');
      return show(reportPage(one, await reportOf(db, organization.id, one.id), now));
    }),
  );

  page.get(
    `${LIST}/:id/app`,
    desk.member(`${LIST}/:id/app`, async ({ c, organization, now, show }) => {
      const one = orNotFound(await subscriptionOf(db, organization.id, c.req.param('id')!), 'registry');
      // A key may be any text, including one that would change the path.
      const key = c.req.query('key') ?? '';
      const after = c.req.query('after') ?? null;
      const [app, versions, report] = await Promise.all([
        appOf(db, organization.id, one.id, key),
        versionsOf(db, organization.id, one.id, key, { limit: PAGE, after }),
        reportOf(db, organization.id, one.id),
      ]);
      const findings = report === null ? [] : findingsOf(report, key);
      return show(appPage({ one, app: orNotFound(app, 'app'), ...orNotFound(versions, 'app'), after, findings, now }));
    }),
  );

  page.get(
    '/apps',
    desk.member('/apps', async ({ c, organization, show }) => {
      const search = (c.req.query('q') ?? '').trim().slice(0, 200);
      const after = c.req.query('after') ?? null;
      const [apps, registries] = await Promise.all([
        listInstallable(db, organization.id, { search, limit: PAGE, after }),
        listSubscriptions(db, organization.id),
      ]);
      return show(cataloguePage({ ...apps, after, search, registries: registries.length }));
    }),
  );

  page.get(
    '/icons/:digest',
    desk.open('/icons/:digest', async ({ c, organization }) => {
      if (organization === null) return c.body(null, 404);
      const answer = await iconAnswer(c, db, organization.id, c.req.param('digest')!);
      for (const [name, value] of Object.entries(ICON_HEADERS)) answer.headers.set(name, value);
      return answer;
    }),
  );
}
