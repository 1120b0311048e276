import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AppField } from '../../src/core/registry/app-fields.ts';
import { appOf } from '../src/db/apps.ts';
import { appSchema, type AppView } from '../src/domain/apps.ts';
import { appPage } from '../src/ui/app.ts';
import { type FaultHost, openFaultHost, tagged } from '../../test/support/fault-host.ts';
import { manifestAt, serveTrapRegistry } from '../../test/support/trap-registry.ts';
import { openRefreshHarness, type RefreshHarness } from './refresh/refresh-harness.ts';

/** An entry of the table of fields is the whole change for a field in the service too: no migration, no edit. */

const PUBLISHER = vi.hoisted((): AppField => ({
  name: 'publisher',
  in: 'manifest',
  at: ['publisher'],
  kind: 'text',
  label: 'Publisher',
  description: 'Who publishes the app.',
  option: { name: 'publisher', flags: '--publisher <text>', add: { description: 'who publishes it' } },
}));

vi.mock(import('../../src/core/registry/app-fields.ts'), async (original) => {
  const table = await original();
  return { ...table, APP_FIELDS: [...table.APP_FIELDS, PUBLISHER as (typeof table.APP_FIELDS)[number]] };
});

let host: FaultHost;
let harness: RefreshHarness;
beforeAll(async () => {
  host = await openFaultHost();
  harness = await openRefreshHarness();
});
afterAll(async () => {
  await harness.stop();
  await host.close();
});

const publishedBy = (publisher: string): string => {
  const { apps } = manifestAt(host.origin) as { apps: Record<string, object> };
  return host.on(
    '/registry.json',
    tagged(JSON.stringify({ apps: { ...apps, alpha: { ...apps['alpha'], publisher } } })),
  );
};

async function shown(registryId: number, key = 'alpha'): Promise<AppView> {
  const { organizationId, id } = await harness.db
    .selectFrom('subscriptions')
    .where('registryId', '=', registryId)
    .select(['organizationId', 'id'])
    .executeTakeFirstOrThrow();
  return (await appOf(harness.db, organizationId, id, key))!;
}

test('a refresh stores it, follows its changes, and the API returns it', async () => {
  serveTrapRegistry(host);
  const id = await harness.add(publishedBy('Acme\0'));
  await harness.refresh(id);
  expect(await shown(id)).toMatchObject({ name: 'alpha', publisher: 'Acme\u{fffd}' });
  expect(await shown(id, 'bravo')).toMatchObject({ publisher: null });
  publishedBy('Ajax');
  await harness.refresh(id, 1.1);
  expect(await shown(id)).toMatchObject({ publisher: 'Ajax' });
});

test('a row of an earlier version gets it from the manifest that did not change', async () => {
  serveTrapRegistry(host);
  const id = await harness.add(publishedBy('Acme'));
  await harness.refresh(id);
  await harness.db.updateTable('apps').set({ fields: '{}' }).where('registryId', '=', id).execute();
  expect(await shown(id)).toMatchObject({ publisher: null });
  host.requests.length = 0;
  await harness.refresh(id, 1.1);
  expect(await shown(id)).toMatchObject({ publisher: 'Acme' });
});

test('the document of the API has it', () => {
  expect(appSchema).toMatchObject({
    required: expect.arrayContaining(['publisher']),
    properties: { publisher: { type: ['string', 'null'], description: PUBLISHER.description } },
  });
});

test('the page of the app shows it', async () => {
  serveTrapRegistry(host);
  const id = await harness.add(publishedBy('Acme & Co.'));
  await harness.refresh(id);
  const subscription = { id: '0', name: 'Apps', url: `${host.origin}/registry.json` };
  const lists = { versions: [], next: null, after: null, findings: { own: [], shared: [] }, events: [], sameKey: [] };
  const { body } = appPage({ ...lists, subscription: subscription as never, app: await shown(id), now: new Date() });
  expect(String(body)).toMatch(/<dt>Publisher<\/dt>\s*<dd>[^\n]*Acme &amp; Co\./);
});
