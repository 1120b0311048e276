import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultHost, openFaultHost } from '../../../test/support/fault-host.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { hiddenReason } from '../../src/domain/apps.ts';
import { type AppView } from '../../src/domain/apps.ts';
import { listApps } from '../../src/db/apps.ts';
import { FAULTY_APPS, serveFaultyApps } from './faulty-apps.ts';
import { openRefreshHarness, type RefreshHarness } from './refresh-harness.ts';

/** Each way of breaking an app or a version has a reason of its own, which is true. */

let host: FaultHost;
let harness: RefreshHarness;

/** The apps after one refresh, by key. */
const shown = new Map<string, AppView>();

beforeAll(async () => {
  harness = await openRefreshHarness({}, { refresh: 60_000 });
  host = await openFaultHost();
  const id = await harness.add(serveFaultyApps(host));
  await harness.refresh(id);
  const { db } = harness;
  const subscriptions = db.selectFrom('subscriptions').where('registryId', '=', id).select(['id', 'organizationId']);
  const { id: subscription, organizationId } = await subscriptions.executeTakeFirstOrThrow();
  const all = { search: null, visible: null, limit: 500, after: null };
  for (const app of (await listApps(db, organizationId, subscription, all))?.apps ?? []) shown.set(app.key, app);
}, 120_000);
afterAll(async () => {
  await host.close();
  await harness.stop();
});

test.each(FAULTY_APPS)('%s is the reason for %s', (reason, key) => {
  const app = shown.get(key);
  expect(app?.visible).toBe(false);
  const [first, second, ...others] = app?.reasons ?? [];
  expect(others).toEqual([]);
  if (second === undefined) return expect(first?.message).toBe(reason);
  expect(first?.message).toBe('None of its versions can be offered.');
  expect(second.message).toMatch(/^Version 1\.0\.0: /);
  expect(`${second.code}: ${second.message.slice('Version 1.0.0: '.length)}`).toContain(reason);
});

test('every rule that hides an app gives subscribers a reason', () => {
  const hiding = rules.filter(({ hidesApp }) => hidesApp);
  expect(hiding.length).toBeGreaterThan(8);
  for (const { id } of hiding) expect(hiddenReason(id).message).toMatch(/^[A-Z].*\.$/);
  for (const { id } of rules) expect(hiddenReason(id).message).not.toContain(id);
});
