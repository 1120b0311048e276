import { highestFirst } from '../../../src/core/registry/version-order.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appOf, listApps, listInstallable } from '../../src/db/apps.ts';
import { iconFor } from '../../src/db/icons.ts';
import { PAGE_LIMIT } from '../../src/db/page.ts';
import { reportOf } from '../../src/db/registries.ts';
import { versionsOf } from '../../src/db/versions.ts';
import { pack } from '../../src/db/packed.ts';
import {
  addApp,
  addIcon,
  addOrganization,
  addRegistry,
  addSubscription,
  type AppValues,
  openTestDatabase,
  type TestDatabase,
  type VersionValues,
} from '../database-fixture.ts';

let database: TestDatabase;
let ownOrganization: string;
let otherOrganization: string;
beforeAll(async () => {
  database = await openTestDatabase();
  [ownOrganization, otherOrganization] = [await addOrganization(database.db), await addOrganization(database.db)];
});
afterAll(() => database.stop());

interface Query {
  search: string | null;
  visible: boolean | null;
  limit: number;
  after: string | null;
}
const ALL: Query = { search: null, visible: null, limit: 50, after: null };
const firstTime = new Date('2026-01-02T03:04:05Z');

/** A separate registry for a test, with a subscription of `ownOrganization`. */
async function subscribed(name: string): Promise<{ registry: number; id: string }> {
  const registry = await addRegistry(database.db, `https://${name}.example.com/registry.json`);
  return { registry, id: await addSubscription(database.db, ownOrganization, registry, { name }) };
}

async function keys(id: string, query: Partial<Query>): Promise<string[]> {
  const found = await listApps(database.db, ownOrganization, id, { ...ALL, ...query });
  return found!.apps.map(({ key }) => key);
}

const REFUSED = { state: 'refused', rule: 'unreachable', reason: 'No.' } as const;

describe('an app is installable or not, with the right reasons,', () => {
  const cases: [string, AppValues, Record<string, VersionValues>, boolean | null, string[], string | null][] = [
    ['with a verified version', {}, { '1.0.0': {} }, true, [], '1.0.0'],
    ['with two verified versions', {}, { '1.0.0': {}, '2.0.0': {} }, true, [], '2.0.0'],
    [
      'with a highest version that is not verified',
      {},
      { '2.0.0': {}, '9.0.0': {}, '10.0.0': { state: 'pending' } },
      true,
      [],
      '9.0.0',
    ],
    ['after it was removed from the manifest', { listed: false }, { '1.0.0': {} }, false, ['app-withdrawn'], null],
    [
      'with a rule that hides it',
      { visible: false, because: ['app-key-unsafe'] },
      { '1.0.0': {} },
      false,
      ['app-key-unsafe'],
      null,
    ],
    [
      'with metadata that fails now',
      { visible: false, because: ['unreachable'], failingSince: firstTime },
      { '1.0.0': {} },
      true,
      [],
      '1.0.0',
    ],
    [
      'with metadata that never worked',
      { visible: false, because: ['unreachable'], failingSince: firstTime },
      {},
      false,
      ['unreachable'],
      null,
    ],
    [
      'with artifacts that are not checked yet',
      {},
      { '1.0.0': { state: 'pending' } },
      null,
      ['artifact-unchecked'],
      null,
    ],
    [
      'with refused artifacts',
      {},
      { '1.0.0': { state: 'refused', rule: 'artifact-checksum-mismatch', reason: 'Other bytes.' } },
      false,
      ['artifact-refused', 'artifact-checksum-mismatch'],
      null,
    ],
    ['with withdrawn versions only', {}, { '1.0.0': { withdrawnAt: firstTime } }, false, ['version-not-stored'], null],
    ['with metadata that was not read yet', { visible: null }, {}, null, ['app-unchecked'], null],
    ['with a rule that was not judged', { visible: null, because: ['rate-limited'] }, {}, null, ['rate-limited'], null],
  ];

  let id: string;
  beforeAll(async () => {
    const { registry, id: mineOf } = await subscribed('standing');
    id = mineOf;
    for (const [i, [, values, versions]] of cases.entries())
      await addApp(database.db, registry, `app-${i}`, values, versions);
  });

  test.each(cases.map((one, i) => [one[0], i, ...one.slice(3)] as const))(
    '%s',
    async (_, i, visible, codes, latest) => {
      const app = await appOf(database.db, ownOrganization, id, `app-${i}`);
      expect(app).toMatchObject({ visible, latest });
      expect(app!.reasons.map(({ code }) => code)).toEqual(codes);
      expect(app!.offered > 0).toBe(visible === true);
      expect(app!.versions).toBe(Object.keys(cases[i]![2]).length);
      for (const { message } of app!.reasons) expect(message).toMatch(/^[A-Z].*\.$/);
    },
  );

  test.each([
    [['9.0.0', '10.0.0', '10.0.0-rc.1']],
    [['1.0.0-rc.9', '1.0.0-rc.10', '1.0.0-beta']],
    [['1.0.0', 'v3', '2', '0.9.0+build']],
    [['v3', 'v2']],
    [['1.0.0+b', '1.0.0+a', '1.0.0-x']],
    [['1.10.0', '1.9.0', '1.10.0-alpha', '1.2.99999999999999999999']],
  ])('the highest refused version of %j is the reason', async (versions) => {
    const { registry, id: mine } = await subscribed(`refused-${versions.join('-')}`);
    await addApp(database.db, registry, 'app', {}, Object.fromEntries(versions.map((version) => [version, REFUSED])));
    const app = await appOf(database.db, ownOrganization, mine, 'app');
    expect(app!.reasons[1]!.message).toContain(`Version ${versions.toSorted(highestFirst)[0]!}: `);
  });

  test('and the filter of the list gives the same result', async () => {
    const listed = cases.map((one, i) => ({ one, key: `app-${i}` })).filter(({ one }) => one[1].listed !== false);
    const want = (visible: boolean): string[] =>
      listed
        .filter(({ one }) => (one[3] === true) === visible)
        .map(({ key }) => key)
        .toSorted();
    expect(await keys(id, { visible: true })).toEqual(want(true));
    expect(await keys(id, { visible: false })).toEqual(want(false));
  });
});

describe('the list of apps', () => {
  test('has pages without duplicates and gaps while apps are added and removed', async () => {
    const { registry, id } = await subscribed('pages');
    for (const key of ['b', 'd', 'f', 'Z', 'é', '_']) await addApp(database.db, registry, key);
    const first = await listApps(database.db, ownOrganization, id, { ...ALL, limit: 3 });
    expect(first).toMatchObject({ apps: [{ key: 'Z' }, { key: '_' }, { key: 'b' }], next: 'b' });
    await addApp(database.db, registry, 'a');
    await addApp(database.db, registry, 'e');
    await database.db.deleteFrom('apps').where('registryId', '=', registry).where('key', '=', 'b').execute();
    const rest = await listApps(database.db, ownOrganization, id, { ...ALL, limit: 30, after: first!.next });
    expect(rest!.apps.map(({ key }) => key)).toEqual(['d', 'e', 'f', 'é']);
    expect(rest!.next).toBeNull();
  });

  test('has no next page after a page that is exactly full', async () => {
    const { registry, id } = await subscribed('full');
    await addApp(database.db, registry, 'a');
    await addApp(database.db, registry, 'b');
    expect(await listApps(database.db, ownOrganization, id, { ...ALL, limit: 2 })).toMatchObject({ next: null });
    expect((await listApps(database.db, ownOrganization, id, { ...ALL, limit: 0 }))!.apps).toHaveLength(1);
    expect((await listApps(database.db, ownOrganization, id, { ...ALL, limit: PAGE_LIMIT + 1 }))!.apps).toHaveLength(2);
  });

  test('is searched by words in any script, without special characters', async () => {
    const { registry, id } = await subscribed('search');
    await addApp(database.db, registry, 'mail', { name: 'Send E-Mail', description: 'by SMTP' });
    await addApp(database.db, registry, 'ecole', { name: 'École Ünïon', description: '100% done_well\\' });
    await addApp(database.db, registry, 'athens', { name: 'ΑΘΗΝΑ', description: "'; drop table apps; --" });
    for (const [search, found] of [
      ['mail', ['mail']],
      ['SMTP send', ['mail']],
      ['smtp école', []],
      ['ÜNÏON', ['ecole']],
      ['αθηνα', ['athens']],
      ['%', ['ecole']],
      ['_', ['ecole']],
      ['\\', ['ecole']],
      ["'; drop", ['athens']],
      ['\0', []],
      ['\ud800', []],
      ['  ', ['athens', 'ecole', 'mail']],
    ] as const)
      expect([search, await keys(id, { search })]).toEqual([search, found]);
  });

  test('is not available for the subscription of another organization', async () => {
    const { registry, id } = await subscribed('strange');
    await addApp(database.db, registry, 'a');
    expect(await listApps(database.db, otherOrganization, id, ALL)).toBeNull();
    expect(await appOf(database.db, otherOrganization, id, 'a')).toBeNull();
    expect(await versionsOf(database.db, otherOrganization, id, 'a', ALL)).toBeNull();
    expect(await listApps(database.db, ownOrganization, 'no-uuid', ALL)).toBeNull();
    expect(await appOf(database.db, ownOrganization, id, '\0')).toBeNull();
    expect(await listInstallable(database.db, otherOrganization, ALL)).toEqual({ apps: [], next: null });
  });
});

test('installable apps are listed across all registries', async () => {
  const organization = await addOrganization(database.db);
  const ids: string[] = [];
  for (const name of ['one', 'two']) {
    const registry = await addRegistry(database.db, `https://installable.example.com/${name}.json`);
    ids.push(await addSubscription(database.db, organization, registry, { name }));
    await addApp(database.db, registry, 'both');
    await addApp(database.db, registry, `only-${name}`);
    await addApp(database.db, registry, 'pending', {}, { '1.0.0': { state: 'pending' } });
  }
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listInstallable>> = await listInstallable(database.db, organization, {
      ...ALL,
      limit: 1,
      after,
    });
    for (const { key, registry } of page.apps) seen.push(`${key} of ${registry.name}`);
    after = page.next;
  } while (after !== null && seen.length < 20);
  expect(seen.slice(0, 2).toSorted()).toEqual(['both of one', 'both of two']);
  expect(seen.slice(2)).toEqual(['only-one of one', 'only-two of two']);
  const found = await listInstallable(database.db, organization, { ...ALL, search: 'ONLY-two' });
  expect(found.apps).toMatchObject([{ key: 'only-two', registry: { id: ids[1], name: 'two' } }]);
  expect(await listInstallable(database.db, organization, { ...ALL, after: 'none' })).toEqual({ apps: [], next: null });
});

describe('versions', () => {
  test('are listed from the highest one, in pages', async () => {
    const { registry, id } = await subscribed('versions');
    const order = ['10.0.0', '9.0.0', '9.0.0-rc.1', '1.2.3', '1.2.3+b', '0.9.0', 'nightly', 'v1'];
    await addApp(
      database.db,
      registry,
      'app',
      {},
      Object.fromEntries(order.toSorted().map((version) => [version, {}])),
    );
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof versionsOf>> = await versionsOf(database.db, ownOrganization, id, 'app', {
        limit: 3,
        after,
      });
      seen.push(...page!.versions.map(({ version }) => version));
      after = page!.next;
    } while (after !== null && seen.length < 20);
    expect(seen).toEqual(order);
    expect(await versionsOf(database.db, ownOrganization, id, 'none', ALL)).toBeNull();
    expect(await versionsOf(database.db, ownOrganization, id, 'app', { limit: 9, after: 'zzz' })).toEqual({
      versions: [],
      next: null,
    });
  });

  test('state whether they are offered, with the digest that was seen first', async () => {
    const { registry, id } = await subscribed('offers');
    await addApp(
      database.db,
      registry,
      'app',
      {},
      {
        '4.0.0': { state: 'pending' },
        '3.0.0': { state: 'refused', rule: 'unreachable', reason: 'It answers with 404.' },
        '2.0.0': { withdrawnAt: firstTime, swappedChecksum: 'sha256:other' },
        '1.0.0': { bytes: 123, swappedChecksum: 'sha256:other' },
      },
    );
    const { versions } = (await versionsOf(database.db, ownOrganization, id, 'app', ALL))!;
    expect(versions).toMatchObject([
      { version: '4.0.0', state: 'pending', offered: false, reason: null },
      { state: 'refused', offered: false, reason: { rule: 'unreachable', message: 'It answers with 404.' } },
      { state: 'withdrawn', offered: false, withdrawnAt: firstTime.toISOString() },
      { state: 'verified', offered: true, bytes: 123, swappedChecksum: 'sha256:other' },
    ]);
    await database.db.updateTable('apps').set({ listed: false }).where('registryId', '=', registry).execute();
    const after = (await versionsOf(database.db, ownOrganization, id, 'app', ALL))!.versions;
    expect(after.filter(({ offered }) => offered)).toEqual([]);
  });
});

test('a report is available only to subscribers', async () => {
  const { registry, id } = await subscribed('report');
  expect(await reportOf(database.db, ownOrganization, id)).toBeNull();
  const report = await pack({ schema: 1, findings: [] });
  await database.db.updateTable('registries').set({ report }).where('id', '=', registry).execute();
  expect(await reportOf(database.db, ownOrganization, id)).toEqual({ schema: 1, findings: [] });
  expect(await reportOf(database.db, otherOrganization, id)).toBeNull();
});

test('an icon is available only to subscribers of a registry that shows it', async () => {
  const { registry } = await subscribed('icons');
  const icon = await addIcon(database.db, Buffer.from('<svg/>'), 'image/svg+xml');
  const digest = icon.toString('hex');
  expect(await iconFor(database.db, ownOrganization, digest)).toBeNull();
  await addApp(database.db, registry, 'app', { icon });
  expect(await iconFor(database.db, ownOrganization, digest)).toEqual({
    type: 'image/svg+xml',
    bytes: Buffer.from('<svg/>'),
  });
  expect(await iconFor(database.db, otherOrganization, digest)).toBeNull();
  expect(await iconFor(database.db, ownOrganization, digest.toUpperCase())).toBeNull();
  expect(await iconFor(database.db, ownOrganization, '00')).toBeNull();
});
