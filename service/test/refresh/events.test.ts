import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EventView } from '../../src/domain/events.ts';
import { listEvents } from '../../src/db/events.ts';
import { certificates, type Kind } from '../../../test/support/fault-certificates.ts';
import { answer, byMethod, CORS, type FaultHost, openFaultHost, tagged } from '../../../test/support/fault-host.ts';
import { archive, checksum, gzipped, SVG } from '../../../test/support/live-registry.ts';
import { addOrganization, addSubscription } from '../database-fixture.ts';
import { openRefreshHarness, type RefreshHarness } from './refresh-harness.ts';

/** The history that refreshes write: what changed, once, with the change. */

let host: FaultHost;
let harness: RefreshHarness;
/** The organization that is subscribed to the registry of a test. */
let id: number;
let organization: string;

beforeAll(async () => {
  harness = await openRefreshHarness();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  host = await openFaultHost();
  serveIcon();
});
afterEach(() => host.close());

function serveIcon(): void {
  host.on('/icon.svg', byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) }));
}

interface Version {
  version: string;
  artifactUrl: string;
  artifactChecksum: string;
}

function published(key: string, version: string, text = `${key} ${version}`): Version {
  const bytes = archive(text);
  const artifactUrl = host.on(`/${key}-${version}.tar.gz`, gzipped(bytes));
  return { version, artifactUrl, artifactChecksum: checksum(bytes) };
}

/** Serves a registry with these versions of its apps. */
function serve(apps: Record<string, readonly Version[]>): string {
  const listed: Record<string, object> = {};
  for (const [key, versions] of Object.entries(apps)) {
    const blockStyle = { iconUrl: `${host.origin}/icon.svg`, color: '#336699' };
    listed[key] = { name: key, description: 'D', blockStyle, appMetadataUrl: `${host.origin}/${key}.json` };
    host.on(`/${key}.json`, tagged(JSON.stringify({ versions })));
  }
  return host.on('/registry.json', tagged(JSON.stringify({ apps: listed })));
}

async function subscribe(url: string): Promise<void> {
  // Those of other tests list the same keys.
  await harness.db.deleteFrom('subscriptions').execute();
  id = await harness.add(url);
  const row = await harness.db.selectFrom('subscriptions').where('registryId', '=', id).selectAll().executeTakeFirst();
  organization = row!.organizationId;
}

async function events(of = organization): Promise<EventView[]> {
  const query = { subscriptionId: null, appKey: null, type: null, limit: 500, after: null };
  const { events: all } = (await listEvents(harness.db, of, query))!;
  return all.filter(({ type }) => type !== 'subscribed');
}

/** Refreshes the registry, and returns the events of that in order: their type, app and version. */
async function eventsOfRefresh(hours: number): Promise<string[]> {
  const before = (await events()).length;
  await harness.refresh(id, hours);
  const all = await events();
  const fresh = all.slice(0, all.length - before).toReversed();
  return fresh.map(({ type, app, version }) => [type, app, version].filter((part) => part !== null).join(' '));
}

describe('a refresh records', () => {
  test('what a registry lists at first, and nothing while it stays the same, except once a day', async () => {
    await subscribe(serve({ a: [published('a', '1.0.0')] }));
    const first = await eventsOfRefresh(0);
    expect(first).toEqual(['app-listed a', 'version-listed a 1.0.0', 'version-verified a 1.0.0', 'checked']);
    const [checked] = await events();
    expect(checked).toMatchObject({
      data: { outcome: 'good', errors: 0, apps: 1, changes: { 'app-listed': 1, 'version-verified': 1 } },
      message: expect.stringContaining('1 version verified'),
    });
    for (const hours of [1.1, 2.2]) expect(await eventsOfRefresh(hours)).toEqual([]);
    expect(await eventsOfRefresh(25)).toEqual(['checked']);
    expect(await eventsOfRefresh(26.1)).toEqual([]);
    expect(await eventsOfRefresh(50)).toEqual(['checked']);
  });

  test('a version that is published, withdrawn, and listed again', async () => {
    const [one, two] = [published('a', '1.0.0'), published('a', '2.0.0')];
    await subscribe(serve({ a: [one] }));
    await eventsOfRefresh(0);
    serve({ a: [one, two] });
    expect(await eventsOfRefresh(1.1)).toEqual(['version-listed a 2.0.0', 'version-verified a 2.0.0', 'checked']);
    serve({ a: [one] });
    expect(await eventsOfRefresh(2.2)).toEqual(['version-withdrawn a 2.0.0', 'checked']);
    expect((await events())[1]).toMatchObject({ data: { checksum: two.artifactChecksum, wasVerified: true } });
    serve({ a: [one, two] });
    expect(await eventsOfRefresh(3.3)).toEqual(['version-restored a 2.0.0', 'checked']);
  });

  test('a version whose artifact is replaced, with both digests, and its return', async () => {
    const one = published('a', '1.0.0');
    await subscribe(serve({ a: [one] }));
    await eventsOfRefresh(0);
    const swapped = published('a', '1.0.0', 'other');
    serve({ a: [swapped] });
    expect(await eventsOfRefresh(1.1)).toEqual(['version-refused a 1.0.0', 'app-hidden a', 'checked']);
    const [checked, hidden, refused] = await events();
    expect(refused!.data).toEqual({
      rule: 'artifact-changed',
      checksum: one.artifactChecksum,
      listed: swapped.artifactChecksum,
      served: swapped.artifactChecksum,
      offered: false,
    });
    expect(hidden!.data).toEqual({ reasons: ['artifact-refused', 'artifact-changed'] });
    expect(checked!.data).toMatchObject({ outcome: 'problems', errors: 1 });
    expect(await eventsOfRefresh(2.2)).toEqual([]);
    serve({ a: [published('a', '1.0.0')] });
    expect(await eventsOfRefresh(3.3)).toEqual(['version-restored a 1.0.0', 'app-shown a', 'checked']);
  });

  test('a malformed checksum, and its correction', async () => {
    const one = published('a', '1.0.0');
    await subscribe(serve({ a: [{ ...one, artifactChecksum: 'TODO' }] }));
    const broken = await eventsOfRefresh(0);
    expect(broken).toEqual([
      'app-listed a',
      'version-listed a 1.0.0',
      'version-refused a 1.0.0',
      'app-hidden a',
      'checked',
    ]);
    serve({ a: [one] });
    expect(await eventsOfRefresh(1.1)).toEqual([
      'version-listed a 1.0.0',
      'version-verified a 1.0.0',
      'app-shown a',
      'checked',
    ]);
  });

  test('an app that is removed, and one that is added', async () => {
    await subscribe(serve({ a: [published('a', '1.0.0')] }));
    await eventsOfRefresh(0);
    serve({ b: [published('b', '1.0.0')] });
    expect((await eventsOfRefresh(1.1)).toSorted()).toEqual(
      ['app-listed b', 'app-hidden a', 'version-listed b 1.0.0', 'version-verified b 1.0.0', 'checked'].toSorted(),
    );
    serve({ a: [published('a', '1.0.0')], b: [published('b', '1.0.0')] });
    expect(await eventsOfRefresh(2.2)).toEqual(['app-listed a', 'app-shown a', 'checked']);
    // Not that it can be installed: the policy of an organization may hold it back.
    expect((await events())[1]!.message).toBe('The registry offers the app a again. Its latest version is 1.0.0.');
  });

  test('a manifest that fails and recovers', async () => {
    const url = serve({ a: [published('a', '1.0.0')] });
    await subscribe(url);
    await eventsOfRefresh(0);
    host.on('/registry.json', answer({ status: 404 }));
    expect(await eventsOfRefresh(1.1)).toEqual(['failing', 'checked']);
    const [checked, failing] = await events();
    expect(failing).toMatchObject({
      data: { rule: 'unreachable' },
      message: expect.not.stringContaining('unreachable'),
    });
    expect(checked!.data).toMatchObject({ outcome: 'failing' });
    expect(await eventsOfRefresh(2.2)).toEqual([]);
    serve({ a: [published('a', '1.0.0')] });
    expect(await eventsOfRefresh(3.3)).toEqual(['recovered', 'checked']);
  });

  test('a certificate that the host did not have before, once', async () => {
    const replaceHost = async (kind: Kind, port?: number): Promise<void> => {
      await host.close();
      host = await openFaultHost({ tls: certificates().get(kind), ...(port && { port }) });
      serveIcon();
    };
    await replaceHost('good');
    await subscribe(serve({ a: [published('a', '1.0.0')] }));
    await eventsOfRefresh(0);
    const { port } = host;
    await replaceHost('soon', port);
    serve({ a: [published('a', '1.0.0')] });
    expect(await eventsOfRefresh(1.1)).toEqual(['certificate-changed', 'checked']);
    const { data } = (await events())[1]!;
    expect(data).toMatchObject({ host: `127.0.0.1:${port}`, before: {}, after: { issuer: expect.any(String) } });
    await replaceHost('good', port);
    serve({ a: [published('a', '1.0.0')] });
    expect(await eventsOfRefresh(2.2)).not.toContain('certificate-changed');
  });
});

test('another organization sees only what happened since its own subscription', async () => {
  const url = serve({ a: [published('a', '1.0.0')] });
  await subscribe(url);
  await eventsOfRefresh(0);
  const late = await addOrganization(harness.db, 'Late');
  await addSubscription(harness.db, late, id, { name: 'Mine' });
  expect(await events(late)).toEqual([]);
  serve({ a: [published('a', '1.0.0'), published('a', '2.0.0')] });
  expect(await eventsOfRefresh(1.1)).toHaveLength(3);
  const seen = await events(late);
  expect(seen.map(({ type }) => type)).toEqual(['checked', 'version-verified', 'version-listed']);
  expect(seen[0]!.registry.name).toBe('Mine');
});
