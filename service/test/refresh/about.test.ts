import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { appOf, listApps } from '../../src/db/apps.ts';
import { versionsOf } from '../../src/db/versions.ts';
import { artifactVersionOf } from '../../src/db/artifacts.ts';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { setCredentials } from '../../src/db/private-registries.ts';
import { type EventView } from '../../src/domain/events.ts';
import { listEvents } from '../../src/db/events.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultHost,
  openFaultHost,
  redirect,
  tagged,
} from '../../../test/support/fault-host.ts';
import { archive, checksum, gzipped, SVG } from '../../../test/support/live-registry.ts';
import { openRefreshHarness, type RefreshHarness } from './refresh-harness.ts';

/** About files in refreshes: one conditional request each, the last good copy stays, and changes are seen at once. */

let host: FaultHost;
let harness: RefreshHarness;
let id: number;
beforeAll(async () => {
  harness = await openRefreshHarness();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  host = await openFaultHost();
  id = await harness.add(serve());
});
afterEach(() => host.close());

const PATH = '/a.about.json';

/** A registry of one app with two versions. */
function serve(): string {
  const bytes = archive('one');
  const versions = ['1.0.0', '2.0.0'].map((version) => ({
    version,
    artifactUrl: host.on(`/${version}.tar.gz`, gzipped(bytes)),
    artifactChecksum: checksum(bytes),
  }));
  host.on('/icon.svg', byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) }));
  host.on('/a.json', tagged(JSON.stringify({ versions })));
  const blockStyle = { iconUrl: `${host.origin}/icon.svg`, color: '#336699' };
  const entry = { name: 'App A', description: 'D', blockStyle, appMetadataUrl: `${host.origin}/a.json` };
  return host.on('/registry.json', tagged(JSON.stringify({ apps: { a: entry } })));
}

const LEAKS = { reason: 'security', message: 'It leaks tokens.' };

function about(versions: object, app: object = {}): Behaviour {
  return tagged(JSON.stringify({ schema: 1, app, versions }));
}

/** What is stored of each version: its notes and why it is retired. */
async function stored(): Promise<Record<string, string>> {
  const rows = await harness.db.selectFrom('aboutVersions').where('registryId', '=', id).selectAll().execute();
  return Object.fromEntries(
    rows.map(({ version, notes, deprecated }) => [version, [notes, deprecated?.reason].filter(Boolean).join(' ')]),
  );
}

async function latest(): Promise<string | null> {
  const app = harness.db.selectFrom('apps').where('registryId', '=', id).select('latest');
  return (await app.executeTakeFirstOrThrow()).latest;
}

function subscription(): Promise<{ id: string; organizationId: string }> {
  const subscriptions = harness.db.selectFrom('subscriptions').where('registryId', '=', id);
  return subscriptions.select(['id', 'organizationId']).executeTakeFirstOrThrow();
}

async function events(): Promise<EventView[]> {
  const { id: subscriptionId, organizationId } = await subscription();
  const query = { subscriptionId, appKey: null, type: null, limit: 500, after: null };
  const { events: all } = (await listEvents(harness.db, organizationId, query))!;
  return all.filter(({ type }) => type.endsWith('deprecated')).toReversed();
}

const eventNames = async (): Promise<string[]> => (await events()).map(({ type, version }) => `${type} ${version}`);

/** Refreshes, and returns whether the last outcome was confirmed. */
async function isUnchanged(hours: number): Promise<boolean> {
  harness.lines.length = 0;
  host.requests.length = 0;
  expect(['good', 'problems']).toContain(await harness.refresh(id, hours));
  const line = harness.lines.find((one) => one.includes('"registry-refreshed"'))!;
  return (JSON.parse(line) as { unchanged: boolean }).unchanged;
}

const requests = (): { method: string; condition: string | undefined }[] =>
  host.requestsFor(PATH).map(({ method, headers }) => ({ method, condition: headers['if-none-match'] }));

/** The report without what differs between two refreshes. */
async function timeless(): Promise<object> {
  const { summary, ...report } = await harness.report(id);
  return { ...report, summary: { ...summary, seconds: 0 } };
}

test('a file is read in the first refresh, and costs a 304 from then on', async () => {
  host.on(PATH, about({ '1.0.0': { notes: 'One.', deprecated: LEAKS }, '9.0.0': { notes: 'Nine.' } }));
  await harness.refresh(id);
  expect(requests()).toEqual([{ method: 'GET', condition: undefined }]);
  expect(await stored()).toEqual({ '1.0.0': 'One. security' });
  expect(await eventNames()).toEqual(['version-deprecated 1.0.0']);
  for (const [hours, unchanged] of [
    [1.1, false],
    [2.2, true],
    [3.3, true],
    // Its views are requested once a day.
    [25, false],
  ] as const) {
    expect(await isUnchanged(hours)).toBe(unchanged);
    expect(requests()).toEqual([{ method: 'GET', condition: expect.stringMatching(/^"/) as string }]);
  }
  expect(await eventNames()).toEqual(['version-deprecated 1.0.0']);
  expect((await harness.report(id)).findings.map(({ rule }) => rule)).toContain('about-version-unknown');
});

test('a file that changes while everything else is unchanged is read', async () => {
  host.on(PATH, about({ '2.0.0': { notes: 'Two.' } }));
  await harness.refresh(id);
  await harness.refresh(id, 1.1);
  expect(await isUnchanged(2.2)).toBe(true);
  host.on(PATH, about({ '2.0.0': { deprecated: { ...LEAKS, reason: 'broken', use: '1.0.0' } } }));
  expect(await isUnchanged(3.3)).toBe(false);
  // The response of the revalidation is used again.
  expect(requests()).toHaveLength(1);
  expect(await stored()).toEqual({ '2.0.0': 'broken' });
  expect(await eventNames()).toEqual(['version-deprecated 2.0.0']);
  expect((await events())[0]).toMatchObject({
    data: { reason: 'broken', message: 'It leaks tokens.', use: '1.0.0', since: null },
    message: 'The author retired a 2.0.0 (broken): It leaks tokens. Use 1.0.0 instead.',
  });
});

test('an app without a file gets one, and loses it', async () => {
  await harness.refresh(id);
  await harness.refresh(id, 1.1);
  const without = await timeless();
  expect(await isUnchanged(2.2)).toBe(true);
  expect(requests()).toEqual([{ method: 'GET', condition: undefined }]);
  host.on(PATH, about({ '1.0.0': { deprecated: LEAKS } }));
  expect(await isUnchanged(3.3)).toBe(false);
  expect(await stored()).toEqual({ '1.0.0': 'security' });
  host.on(PATH, answer({ status: 404 }));
  expect(await isUnchanged(4.4)).toBe(false);
  expect(await stored()).toEqual({});
  expect(await eventNames()).toEqual(['version-deprecated 1.0.0', 'version-undeprecated 1.0.0']);
  expect(await timeless()).toEqual(without);
  expect([await isUnchanged(5.5), await isUnchanged(6.6)]).toEqual([false, true]);
});

describe('the last good copy stays', () => {
  test.each<[string, Behaviour, string]>([
    ['after an error of the host', answer({ status: 500 }), 'not judged'],
    ['after a time-out', () => {}, 'not judged'],
    ['if the file is broken', answer({ body: '{ "schema": 1, "versions": [] }' }), 'about-invalid'],
  ])('%s', { timeout: 60_000 }, async (_, behaviour, expected) => {
    host.on(PATH, about({ '2.0.0': { deprecated: { ...LEAKS, use: '1.0.0' } } }));
    await harness.refresh(id);
    const state = [await stored(), await latest()];
    host.on(PATH, behaviour);
    for (const hours of [1.1, 2.2]) {
      await harness.refresh(id, hours);
      expect([await stored(), await latest()]).toEqual(state);
      const { findings, notJudged, apps } = await harness.report(id);
      expect(apps[0]!.visible).toBe(true);
      const rules = findings.map(({ rule }) => rule);
      expect(rules.includes('about-invalid')).toBe(expected === 'about-invalid');
      const reasons = notJudged.filter(({ rule }) => rule === 'about-invalid').map(({ reason }) => reason);
      expect(reasons).toEqual(
        expected === 'not judged' ? [expect.stringContaining('request for its about file') as string] : [],
      );
    }
    expect(await eventNames()).toEqual(['version-deprecated 2.0.0']);
  });
});

test('a broken file that stays the same is not judged again each time', async () => {
  host.on(PATH, tagged('{'));
  await harness.refresh(id);
  await harness.refresh(id, 1.1);
  expect(await isUnchanged(2.2)).toBe(true);
  expect((await harness.report(id)).findings.map(({ rule }) => rule)).toContain('about-invalid');
  host.on(PATH, about({ '1.0.0': { notes: 'One.' } }));
  expect(await isUnchanged(3.3)).toBe(false);
  expect((await harness.report(id)).findings.map(({ rule }) => rule)).not.toContain('about-invalid');
  expect(await stored()).toEqual({ '1.0.0': 'One.' });
});

test('a host that never responds about them delays no app, and hides none', { timeout: 60_000 }, async () => {
  const entry = { name: 'A', description: 'D', blockStyle: { iconUrl: `${host.origin}/icon.svg`, color: '#336699' } };
  const keys = Array.from({ length: 40 }, (_, i) => `app-${i}`);
  const apps = keys.map((key, i) => {
    const bytes = archive(key);
    const artifactUrl = host.on(`/${key}.tar.gz`, gzipped(bytes));
    const versions = [{ version: '1.0.0', artifactUrl, artifactChecksum: checksum(bytes) }];
    host.on(`/${key}.about.json`, i % 2 === 0 ? () => {} : answer({ status: 503 }));
    return [key, { ...entry, appMetadataUrl: host.on(`/${key}.json`, tagged(JSON.stringify({ versions }))) }];
  });
  id = await harness.add(host.on('/registry.json', tagged(JSON.stringify({ apps: Object.fromEntries(apps) }))));
  await harness.refresh(id);
  const report = await harness.report(id);
  expect(report.apps.filter(({ visible }) => visible)).toHaveLength(40);
  const hanging = host.requests.filter(({ path }) => /^\/app-\d*[02468]\.about\.json$/.test(path));
  expect(hanging.length).toBeLessThan(20);
});

describe('no file changes the report', () => {
  test.each<[string, Behaviour]>([
    ['403', answer({ status: 403 })],
    ['410', answer({ status: 410 })],
    ['a web page', answer({ body: '<!doctype html><title>Apps</title>' })],
    ['a redirect to a web page', redirect('/page.html')],
  ])('%s', async (_, behaviour) => {
    await harness.refresh(id);
    await harness.refresh(id, 1.1);
    const without = await timeless();
    host.on('/page.html', answer({ body: '<!doctype html><title>Apps</title>' }));
    host.on(PATH, behaviour);
    expect(await isUnchanged(2.2)).toBe(true);
    const registries = harness.db.updateTable('registries').where('id', '=', id);
    await registries.set({ unchangedToken: null }).execute();
    expect(await isUnchanged(3.3)).toBe(false);
    expect(await timeless()).toEqual(without);
    expect(await isUnchanged(4.4)).toBe(true);
  });
});

test('a host without validators sends the file each time, which is compared', async () => {
  const body = JSON.stringify({ schema: 1, versions: { '1.0.0': { notes: 'One.' } } });
  host.on(PATH, answer({ body }));
  await harness.refresh(id);
  await harness.refresh(id, 1.1);
  expect(await isUnchanged(2.2)).toBe(true);
  host.on(PATH, answer({ body: body.replace('One', 'Another') }));
  expect(await isUnchanged(3.3)).toBe(false);
  expect(await stored()).toEqual({ '1.0.0': 'Another.' });
});

describe('the latest version', () => {
  test.each<[string, object, string]>([
    ['retired for security, with a named replacement', { ...LEAKS, use: '1.0.0' }, '1.0.0'],
    ['retired for security, without one', LEAKS, '2.0.0'],
    ['retired for another reason', { ...LEAKS, reason: 'broken', use: '1.0.0' }, '2.0.0'],
  ])('%s', async (_, deprecated, expected) => {
    await harness.refresh(id);
    expect(await latest()).toBe('2.0.0');
    host.on(PATH, about({ '2.0.0': { deprecated } }));
    await harness.refresh(id, 1.1);
    expect(await latest()).toBe(expected);
    host.on(PATH, about({}));
    await harness.refresh(id, 2.2);
    expect(await latest()).toBe('2.0.0');
    expect(await eventNames()).toEqual(['version-deprecated 2.0.0', 'version-undeprecated 2.0.0']);
  });
});

test('subscribers see what the author says, and get a retired version', async () => {
  const links = { homepage: 'https://acme.example/', licence: 'MIT', support: 'mailto:help@acme.example' };
  const deprecated = { ...LEAKS, use: '1.0.0', since: '2026-11-24' };
  const published = '2026-11-23T10:00:00Z';
  host.on(PATH, about({ '2.0.0': { published, notes: '## Fixed', deprecated } }, links));
  await harness.refresh(id);
  const { db } = harness;
  const own = await subscription();
  expect(await appOf(db, own.organizationId, own.id, 'a')).toMatchObject({
    latest: '1.0.0',
    deprecated: null,
    links: { ...links, source: null },
    offered: 2,
  });
  const { versions } = (await versionsOf(db, own.organizationId, own.id, 'a', { limit: 10, after: null }))!;
  expect(versions).toMatchObject([
    { version: '2.0.0', offered: true, published, notes: '## Fixed', deprecated },
    { version: '1.0.0', offered: true, published: null, notes: null, deprecated: null },
  ]);
  const place = { subscriptionId: own.id, key: 'a', version: '2.0.0' };
  expect(await artifactVersionOf(db, own.organizationId, place)).toMatchObject({ offered: true });
  // It is the latest again, and retired.
  host.on(PATH, about({ '2.0.0': { deprecated: { ...deprecated, reason: 'broken' } } }, links));
  await harness.refresh(id, 1.1);
  const all = { search: null, visible: null, limit: 10, after: null };
  expect(await listApps(db, own.organizationId, own.id, all)).toMatchObject({
    apps: [{ latest: '2.0.0', deprecated: { reason: 'broken', use: '1.0.0' } }],
  });
});

test('credentials are sent as for the metadata file, and are not stored', async () => {
  host.on(PATH, about({ '1.0.0': { deprecated: LEAKS } }));
  await harness.refresh(id);
  const { db, context } = harness;
  const own = await subscription();
  const target = { organizationId: own.organizationId, subscriptionId: own.id, actor: SERVICE_ACTOR };
  const auth = { type: 'bearer', token: 'a-token-of-this-test' } as const;
  const moved = await setCredentials(db, context.settings.secretsKeys, { ...target, auth }, () => null);
  if (moved === null || typeof moved === 'string') throw new Error('The credentials are refused.');
  id = moved.registryId;
  // The own registry begins with what the shared one had.
  expect(await stored()).toEqual({ '1.0.0': 'security' });
  host.requests.length = 0;
  host.on(PATH, about({ '1.0.0': { notes: `Use ${auth.token}.`, deprecated: LEAKS } }));
  await harness.refresh(id, 1.1);
  for (const path of ['/a.json', PATH]) {
    const [first] = host.requestsFor(path);
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${auth.token}` });
    expect(first?.headers['if-none-match']).toBeUndefined();
  }
  expect(await eventNames()).toEqual(['version-deprecated 1.0.0']);
  expect(await stored()).toEqual({ '1.0.0': expect.not.stringContaining(auth.token) as string });
});

test('hostile texts are stored and reported', async () => {
  const message = `\u202e<script>alert(1)</script>\u0000`;
  host.on(PATH, about({ '1.0.0': { notes: `[x](javascript:alert(1)) \u0000`, deprecated: { ...LEAKS, message } } }));
  await harness.refresh(id);
  expect(Object.keys(await stored())).toEqual(['1.0.0']);
  const [event] = await events();
  expect(event!.message).not.toMatch(/[\u202e\u0000]/);
});
