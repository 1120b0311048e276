import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { certificates } from '../../../test/support/fault-certificates.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultHost,
  openFaultHost,
  tagged,
} from '../../../test/support/fault-host.ts';
import { archive, checksum, faults, SVG, verified } from '../../../test/support/live-registry.ts';
import type { Probe } from '../../../src/core/facts/facts.ts';
import { type ConfirmedDocument } from '../../src/refresh/recording-client.ts';
import { unchangedTokenIn, unchangedTokenOf } from '../../src/refresh/unchanged.ts';
import { readRegistry, writeUnchanged } from '../../src/db/refreshes.ts';
import { type RefreshHarness, openRefreshHarness } from './refresh-harness.ts';

/** An unchanged registry is not judged again; findings that depend on the time are still reported on time. */

let host: FaultHost;
let harness: RefreshHarness;
beforeAll(async () => {
  harness = await openRefreshHarness();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  host = await openFaultHost();
});
afterEach(() => host.close());

interface Served {
  headers?: () => Record<string, string>;
  artifact?: string;
}

/** A registry of two apps with one version each, and additional headers of its documents. */
function serve({ headers = () => ({}), artifact = '/1.tar.gz' }: Served = {}): string {
  const sent =
    (body: string): Behaviour =>
    (request, socket) =>
      tagged(body, headers())(request, socket);
  const bytes = archive('one');
  host.on('/1.tar.gz', tagged(bytes, { 'Content-Type': 'application/gzip' }));
  const list = [{ version: '1.0.0', artifactUrl: `${host.origin}${artifact}`, artifactChecksum: checksum(bytes) }];
  const listed = Object.fromEntries(
    ['a', 'b'].map((key) => {
      host.on(`/${key}.json`, sent(JSON.stringify({ versions: list })));
      const appMetadataUrl = `${host.origin}/${key}.json`;
      const blockStyle = { iconUrl: `${host.origin}/icon.svg`, color: '#336699' };
      return [key, { name: `App ${key}`, description: 'Does a thing.', blockStyle, appMetadataUrl }];
    }),
  );
  host.on('/icon.svg', byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) }));
  return host.on('/registry.json', sent(JSON.stringify({ apps: listed })));
}

/** Refreshes it, and returns whether it was confirmed as unchanged. */
async function unchanged(id: number, hours: number): Promise<boolean> {
  harness.lines.length = 0;
  host.requests.length = 0;
  expect(['good', 'problems']).toContain(await harness.refresh(id, hours));
  const line = harness.lines.find((one) => one.includes('"registry-refreshed"'))!;
  return (JSON.parse(line) as { unchanged: boolean }).unchanged;
}

/** A registry whose outcome is confirmed from the third refresh on. */
async function settled(url: string): Promise<number> {
  const id = await harness.add(url);
  expect([await unchanged(id, 0), await unchanged(id, 1.1), await unchanged(id, 2.2)]).toEqual([false, false, true]);
  return id;
}

const rule = async (id: number): Promise<string[]> => (await harness.report(id)).findings.map((one) => one.rule);
const requested = (): string[] => host.requests.map(({ method, path }) => `${method} ${path}`).sort();
const DOCUMENTS = ['GET /a.json', 'GET /b.json', 'GET /registry.json'];
/** They have none. */
const ABOUT_FILES = ['GET /a.about.json', 'GET /b.about.json'];

describe('an unchanged registry', () => {
  test('keeps its outcome, and the time of the check is stored', async () => {
    const id = await settled(serve());
    const row = () => harness.db.selectFrom('registries').where('id', '=', id).selectAll().executeTakeFirstOrThrow();
    const before = await row();
    expect(await unchanged(id, 3.3)).toBe(true);
    expect(requested()).toEqual([...DOCUMENTS, ...ABOUT_FILES].sort());
    const listed = host.requests.filter(({ path }) => !path.endsWith('.about.json'));
    expect(listed.every(({ headers }) => headers['if-none-match'])).toBe(true);
    const { checkedAt, goodAt, nextCheckAt, refreshNumber, ...after } = await row();
    expect(before).toMatchObject(after);
    expect(refreshNumber).toBe(before.refreshNumber + 1);
    expect(checkedAt!.getTime() - before.checkedAt!.getTime()).toBeGreaterThan(3_600_000);
    expect(goodAt).toEqual(checkedAt);
    expect(nextCheckAt.getTime() - checkedAt!.getTime()).toBe(3_600_000);
  });

  test('is requested over one connection if it has few documents', async () => {
    const id = await settled(serve());
    await unchanged(id, 3.3);
    expect(new Set(host.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  test('is confirmed despite headers that differ in every response', async () => {
    let turn = 0;
    const id = await settled(
      serve({
        headers: () => ({
          Date: new Date(Date.now() + ++turn * 60_000).toUTCString(),
          Age: String(turn % 300),
          'CF-Ray': `ray-${turn}`,
          'X-Request-Id': `${turn}`,
          'X-Cache': turn % 2 ? 'HIT' : 'MISS',
        }),
      }),
    );
    expect(await unchanged(id, 3.3)).toBe(true);
    expect(faults(await harness.report(id)).sort()).toEqual(faults((await verified(serve())).report).sort());
  });

  test('is requested as a browser once a day', async () => {
    const id = await settled(serve());
    expect(await unchanged(id, 23)).toBe(true);
    expect(await unchanged(id, 24.1)).toBe(false);
    expect(requested()).toContain('OPTIONS /registry.json');
    expect([await unchanged(id, 25.2), await unchanged(id, 26.3)]).toEqual([false, true]);
  });

  test('with thousands of documents has no stored token', () => {
    const hop = { url: '', status: 304, headers: [], address: null, tls: null };
    const probe: Probe = { method: 'GET', origin: null, hops: [hop], failure: null, attempts: 1, retryAfterMs: 0 };
    const all = (count: number): ConfirmedDocument[] =>
      Array.from({ length: count }, (_, i) => ({
        url: `https://apps.example/${i}/versions.json`,
        accept: '*/*',
        condition: ['if-none-match', `"${i}"`],
        probe: probe,
      }));
    expect(unchangedTokenOf(all(3000), 'by', 1, 0)).toBeNull();
    expect(unchangedTokenIn(unchangedTokenOf(all(1000), 'by', 1, 0), 'by', 0)?.requests).toHaveLength(1000);
    expect(unchangedTokenIn(unchangedTokenOf(all(1), 'by', 1, 0), 'by', 2)).toBeNull();
    expect(unchangedTokenIn(unchangedTokenOf(all(1), 'by', 1, 0), 'by', -1)).toBeNull();
    expect(unchangedTokenIn(unchangedTokenOf(all(1), 'by', 1, 0), 'another', 0)).toBeNull();
  });

  test('has its artifacts downloaded again after a month', async () => {
    const id = await settled(serve());
    expect([await unchanged(id, 716), await unchanged(id, 717.1), await unchanged(id, 718.2)]).toEqual([
      false,
      false,
      true,
    ]);
    expect(await unchanged(id, 720.5)).toBe(false);
    expect(requested()).toContain('GET /1.tar.gz');
  });
});

describe('an unchanged registry is judged again in time for', () => {
  test('a signed URL that expires', async () => {
    const end = new Date(Date.now() + 30.5 * 3_600_000).toISOString().replace(/[-:]|\.\d+/g, '');
    const artifact = `/1.tar.gz?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=${end}&X-Amz-Expires=0&X-Amz-Signature=${'0'.repeat(64)}`;
    const id = await harness.add(serve({ artifact }));
    const ended = async (): Promise<(string | null)[]> =>
      (await harness.report(id)).findings.filter((one) => one.rule === 'url-signed-expiring').map((one) => one.cause);
    await unchanged(id, 0);
    await unchanged(id, 1.1);
    expect(await unchanged(id, 2.2)).toBe(true);
    // Its browser views are a day old, and the outcome would not be valid for another day.
    for (const hours of [25, 26.1, 27.2, 28.3, 29.4]) expect(await unchanged(id, hours)).toBe(false);
    expect(new Set(await ended())).toEqual(new Set(['expiring']));
    await harness.refresh(id, 30.6);
    expect(new Set(await ended())).toEqual(new Set(['expired']));
  });

  test('a heuristic lifetime that grows with the age of a document, with one attempt a day to confirm it', async () => {
    const changed = new Date(Date.now() - 40 * 86_400_000).toUTCString();
    const date = (): string => harness.context.now().toUTCString();
    const id = await harness.add(
      serve({ headers: () => ({ 'Cache-Control': 'public', 'Last-Modified': changed, Date: date() }) }),
    );
    const storedToken = async (): Promise<string | null> =>
      (
        await harness.db
          .selectFrom('registries')
          .where('id', '=', id)
          .select('unchangedToken')
          .executeTakeFirstOrThrow()
      ).unchangedToken;
    const tokens: (string | null)[] = [];
    for (const hours of [0, 1.1, 2.2, 3.3, 25, 26.1, 27.2]) {
      expect(await unchanged(id, hours)).toBe(false);
      tokens.push(await storedToken());
    }
    expect(tokens[0]).toBeNull();
    expect(tokens[1]).toContain('"requests":[]');
    expect(tokens[2]).toBe(tokens[1]);
    expect(tokens[3]).toBe(tokens[1]);
    expect(tokens[4]).toBeNull();
    expect(tokens[5]).toContain('"requests":[]');
    expect(tokens[5]).not.toBe(tokens[1]);
    expect(tokens[6]).toBe(tokens[5]);
  });

  test('a certificate that expires soon', async () => {
    await host.close();
    host = await openFaultHost({ tls: certificates().get('good'), host: 'localhost' });
    const id = await harness.add(serve());
    await harness.refresh(id);
    const report = await harness.report(id);
    const { notAfter } = report.findings.find((one) => one.rule === 'tls-untrusted')!.evidence;
    const soon = (Date.parse(String(notAfter)) - Date.now()) / 3_600_000 - 21 * 24;
    await harness.refresh(id, soon - 30);
    await harness.refresh(id, soon - 28.9);
    expect(await unchanged(id, soon - 27.8)).toBe(true);
    for (const hours of [soon - 5, soon - 3.9, soon - 2.8, soon - 1.7, soon - 0.6])
      expect(await unchanged(id, hours)).toBe(false);
    expect(await rule(id)).not.toContain('tls-expiring');
    await harness.refresh(id, soon + 0.5);
    expect(await rule(id)).toContain('tls-expiring');
  });

  test('a cached copy that becomes too old', async () => {
    let age = 10;
    const id = await settled(serve({ headers: () => ({ Age: String(age) }) }));
    age = 200;
    expect(await unchanged(id, 3.3)).toBe(true);
    age = 400;
    expect(await unchanged(id, 4.4)).toBe(false);
    expect(await rule(id)).toContain('cache-lifetime-long');
  });
});

describe('a registry is judged again', () => {
  test('if a document changed, without repeating the requests', async () => {
    const id = await settled(serve());
    host.on('/b.json', tagged(JSON.stringify({ versions: [] })));
    expect(await unchanged(id, 3.3)).toBe(false);
    // As a client, as a browser, and as a browser that has it stored.
    const others = ['GET /b.json', 'GET /b.json'];
    expect(requested().filter((one) => DOCUMENTS.includes(one))).toEqual([...DOCUMENTS, ...others].sort());
    const asClient = host.requests.filter(({ headers }) => headers['sec-fetch-mode'] === undefined);
    expect(asClient.filter(({ headers }) => headers['if-none-match']?.length === 18)).toHaveLength(3);
    const { latest } = await harness.db
      .selectFrom('apps')
      .where('registryId', '=', id)
      .where('key', '=', 'b')
      .select('latest')
      .executeTakeFirstOrThrow();
    expect(latest).toBeNull();
  });

  test('if the host sends other headers', async () => {
    let lifetime = 60;
    const id = await settled(serve({ headers: () => ({ 'Cache-Control': `max-age=${lifetime}` }) }));
    lifetime = 86_400;
    expect(await unchanged(id, 3.3)).toBe(false);
    expect(await rule(id)).toContain('cache-lifetime-long');
    expect([await unchanged(id, 4.4), await unchanged(id, 5.5)]).toEqual([true, true]);
  });

  test('if the settings changed', async () => {
    const id = await settled(serve());
    const { settings } = harness.context;
    harness.context.settings = { ...settings, publicUrl: 'https://apps.example/' };
    try {
      expect(await unchanged(id, 3.3)).toBe(false);
    } finally {
      harness.context.settings = settings;
    }
  });

  test('if one of its rows changed', async () => {
    const id = await settled(serve());
    const token = async (): Promise<unknown> =>
      (await harness.db.selectFrom('registries').where('id', '=', id).select('unchangedToken').executeTakeFirst())
        ?.unchangedToken;
    expect(await token()).toEqual(expect.any(String));
    // A refresh that wrote one app and was interrupted, after which the host restored everything.
    host.on('/a.json', tagged(JSON.stringify({ versions: [] })));
    host.on('/b.json', () => {});
    const stopping = new AbortController();
    await harness.db
      .updateTable('registries')
      .set({ nextCheckAt: new Date(0) })
      .where('id', '=', id)
      .execute();
    const refreshing = harness.refresh(id, 3.3, stopping.signal);
    await expect.poll(token).toBeNull();
    stopping.abort();
    expect(await refreshing).toBe('released');
    expect(await token()).toBeNull();
    serve();
    expect(await unchanged(id, 3.4)).toBe(false);
  });

  test('after a refresh that was resumed, which observes the apps in another order', async () => {
    const id = await settled(serve());
    const values = { resumeAfter: 'a', unchangedToken: null };
    await harness.db.updateTable('registries').set(values).where('id', '=', id).execute();
    const confirmed = [await unchanged(id, 3.3), await unchanged(id, 4.4), await unchanged(id, 5.5)];
    expect(confirmed).toEqual([false, false, true]);
  });

  test('as long as it has an error that can disappear without a change of its documents', async () => {
    serve();
    host.on('/1.tar.gz', answer({ status: 404 }));
    const id = await harness.add(`${host.origin}/registry.json`);
    for (const hours of [0, 1.1, 2.2, 3.3]) expect(await unchanged(id, hours)).toBe(false);
    expect(await rule(id)).toContain('unreachable');
    serve();
    expect(await unchanged(id, 4.4)).toBe(false);
    expect(await rule(id)).not.toContain('unreachable');
  });

  test('after a failed refresh', async () => {
    const id = await settled(serve());
    host.on('/registry.json', answer({ status: 500 }));
    expect(await harness.refresh(id, 3.3)).toBe('failing');
    serve();
    expect([await unchanged(id, 4.4), await unchanged(id, 5.5)]).toEqual([false, true]);
  });
});

test('the outcome of a concurrent refresh is not overwritten', async () => {
  const id = await settled(serve());
  await harness.db.updateTable('registries').set({ unchangedToken: null, failures: 3 }).where('id', '=', id).execute();
  const seen = await readRegistry(harness.db, id, Date.now());
  const now = new Date();
  const end = { ...seen!, at: now, nextCheckAt: now, nextIfRequested: now, slow: false, events: [] };
  expect(await writeUnchanged(harness.db, end)).toBe(false);
});

test('a refresh reports the same as verify, whether the registry was judged again or confirmed', async () => {
  const url = serve();
  const id = await settled(url);
  for (const hours of [3.3, 24.5, 25.6, 26.7, 800]) {
    await harness.refresh(id, hours);
    expect(faults(await harness.report(id)).sort()).toEqual(faults((await verified(url)).report).sort());
  }
});
