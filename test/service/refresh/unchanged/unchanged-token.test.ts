import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { certificates } from '../../../support/fault-certificates.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultHost,
  openFaultHost,
  tagged,
} from '../../../support/fault-host.ts';
import { archive, checksum, faults, gzipped, SVG, verified } from '../../../support/live-registry.ts';
import type { Probe } from '../../../../src/core/facts/facts.ts';
import type { ConfirmedDocument } from '../../../../src/service/refresh/unchanged/recording-client.ts';
import { unchangedTokenIn, unchangedTokenOf } from '../../../../src/service/refresh/unchanged/unchanged-token.ts';
import { registryRecords } from '../../../../src/service/storage/registry-records.ts';
import { type RefreshHarness, openRefreshHarness } from '../refresh-harness.ts';

/** A registry of which nothing changed is not judged anew; whatever comes with time comes all the same, and on time. */

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

/** A registry of two apps with one version each, and what is sent with its documents. */
function serve({ headers = () => ({}), artifact = '/1.tar.gz' }: Served = {}): string {
  const sent =
    (body: string): Behaviour =>
    (request, socket) =>
      tagged(body, headers())(request, socket);
  const bytes = archive('one');
  host.on('/1.tar.gz', gzipped(bytes));
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

/** Refreshes it; tells whether nothing had to be judged. */
async function unchanged(id: number, hours: number): Promise<boolean> {
  harness.lines.length = 0;
  host.requests.length = 0;
  expect(['good', 'problems']).toContain(await harness.refresh(id, hours));
  const line = harness.lines.find((one) => one.includes('"registry-refreshed"'))!;
  return (JSON.parse(line) as { unchanged: boolean }).unchanged;
}

/** A registry whose outcome stands after the second look. */
async function settled(url: string): Promise<number> {
  const id = await harness.add(url);
  expect([await unchanged(id, 0), await unchanged(id, 1.1), await unchanged(id, 2.2)]).toEqual([false, false, true]);
  return id;
}

const rule = async (id: number): Promise<string[]> => (await harness.report(id)).findings.map((one) => one.rule);
const asked = (): string[] => host.requests.map(({ method, path }) => `${method} ${path}`).sort();
const DOCUMENTS = ['GET /a.json', 'GET /b.json', 'GET /registry.json'];

describe('where nothing changed', () => {
  test('the outcome stands, and that it was looked at is noted', async () => {
    const id = await settled(serve());
    const row = () => harness.db.selectFrom('registries').where('id', '=', id).selectAll().executeTakeFirstOrThrow();
    const before = await row();
    expect(await unchanged(id, 3.3)).toBe(true);
    expect(asked()).toEqual(DOCUMENTS);
    expect(host.requests.every(({ headers }) => headers['if-none-match'])).toBe(true);
    const { checkedAt, goodAt, nextCheckAt, ...after } = await row();
    expect(before).toMatchObject(after);
    expect(checkedAt!.getTime() - before.checkedAt!.getTime()).toBeGreaterThan(3_600_000);
    expect(goodAt).toEqual(checkedAt);
    expect(nextCheckAt.getTime() - checkedAt!.getTime()).toBe(3_600_000);
  });

  test('a registry of few documents is asked over one connection', async () => {
    const id = await settled(serve());
    await unchanged(id, 3.3);
    expect(new Set(host.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  test('what is of one answer alone makes no difference', async () => {
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

  test('how the host answers browsers is asked daily', async () => {
    const id = await settled(serve());
    expect(await unchanged(id, 23)).toBe(true);
    expect(await unchanged(id, 24.1)).toBe(false);
    expect(asked()).toContain('OPTIONS /registry.json');
    expect([await unchanged(id, 25.2), await unchanged(id, 26.3)]).toEqual([false, true]);
  });

  test('of a registry of thousands it is not kept what each of its hosts said', () => {
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

  test('artifacts are fetched again after a month', async () => {
    const id = await settled(serve());
    expect([await unchanged(id, 716), await unchanged(id, 717.1), await unchanged(id, 718.2)]).toEqual([
      false,
      false,
      true,
    ]);
    expect(await unchanged(id, 720.5)).toBe(false);
    expect(asked()).toContain('GET /1.tar.gz');
  });
});

describe('what comes with time comes on time', () => {
  test('a signed URL that ends', async () => {
    const end = new Date(Date.now() + 30.5 * 3_600_000).toISOString().replace(/[-:]|\.\d+/g, '');
    const artifact = `/1.tar.gz?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=${end}&X-Amz-Expires=0&X-Amz-Signature=${'0'.repeat(64)}`;
    const id = await harness.add(serve({ artifact }));
    const ended = async (): Promise<(string | null)[]> =>
      (await harness.report(id)).findings.filter((one) => one.rule === 'url-signed-expiring').map((one) => one.cause);
    await unchanged(id, 0);
    await unchanged(id, 1.1);
    expect(await unchanged(id, 2.2)).toBe(true);
    // Its views are a day old, and what is judged then would not stand for another one.
    for (const hours of [25, 26.1, 27.2, 28.3, 29.4]) expect(await unchanged(id, hours)).toBe(false);
    expect(new Set(await ended())).toEqual(new Set(['expiring']));
    await harness.refresh(id, 30.6);
    expect(new Set(await ended())).toEqual(new Set(['expired']));
  });

  test('a guess that grows with the time since the last change, which is tried to leave alone once a day', async () => {
    const changed = new Date(Date.now() - 40 * 86_400_000).toUTCString();
    const date = (): string => harness.context.now().toUTCString();
    const id = await harness.add(
      serve({ headers: () => ({ 'Cache-Control': 'public', 'Last-Modified': changed, Date: date() }) }),
    );
    const standing = async (): Promise<string | null> =>
      (
        await harness.db
          .selectFrom('registries')
          .where('id', '=', id)
          .select('unchangedToken')
          .executeTakeFirstOrThrow()
      ).unchangedToken;
    const kept: (string | null)[] = [];
    for (const hours of [0, 1.1, 2.2, 3.3, 25, 26.1, 27.2]) {
      expect(await unchanged(id, hours)).toBe(false);
      kept.push(await standing());
    }
    expect(kept[0]).toBeNull();
    expect(kept[1]).toContain('"requests":[]');
    expect(kept[2]).toBe(kept[1]);
    expect(kept[3]).toBe(kept[1]);
    expect(kept[4]).toBeNull();
    expect(kept[5]).toContain('"requests":[]');
    expect(kept[5]).not.toBe(kept[1]);
    expect(kept[6]).toBe(kept[5]);
  });

  test('a certificate that ends soon', async () => {
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

  test('a copy that grows too old', async () => {
    let age = 10;
    const id = await settled(serve({ headers: () => ({ Age: String(age) }) }));
    age = 200;
    expect(await unchanged(id, 3.3)).toBe(true);
    age = 400;
    expect(await unchanged(id, 4.4)).toBe(false);
    expect(await rule(id)).toContain('cache-lifetime-long');
  });
});

describe('it is judged again at once', () => {
  test('when a document changed, and what was asked by then is not asked twice', async () => {
    const id = await settled(serve());
    host.on('/b.json', tagged(JSON.stringify({ versions: [] })));
    expect(await unchanged(id, 3.3)).toBe(false);
    // As a client, as a browser, and as a browser that has it stored.
    const others = ['GET /b.json', 'GET /b.json'];
    expect(asked().filter((one) => DOCUMENTS.includes(one))).toEqual([...DOCUMENTS, ...others].sort());
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

  test('when the host sends other headers', async () => {
    let lifetime = 60;
    const id = await settled(serve({ headers: () => ({ 'Cache-Control': `max-age=${lifetime}` }) }));
    lifetime = 86_400;
    expect(await unchanged(id, 3.3)).toBe(false);
    expect(await rule(id)).toContain('cache-lifetime-long');
    expect([await unchanged(id, 4.4), await unchanged(id, 5.5)]).toEqual([true, true]);
  });

  test('when it is of another version or other settings', async () => {
    const id = await settled(serve());
    const { settings } = harness.context;
    harness.context.settings = { ...settings, publicUrl: 'https://apps.example/' };
    try {
      expect(await unchanged(id, 3.3)).toBe(false);
    } finally {
      harness.context.settings = settings;
    }
  });

  test('when a row of it is no longer what it was', async () => {
    const id = await settled(serve());
    const kept = await harness.db
      .selectFrom('registries')
      .where('id', '=', id)
      .select('unchangedToken')
      .executeTakeFirst();
    // A look that wrote one app and was killed then; and the host has put everything back since.
    host.on('/a.json', tagged(JSON.stringify({ versions: [] })));
    host.on('/b.json', () => {});
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(), 700);
    await harness.db
      .updateTable('registries')
      .set({ nextCheckAt: new Date(0) })
      .where('id', '=', id)
      .execute();
    expect(await harness.refresh(id, 3.3, stopping.signal)).toBe('handed-back');
    const now = await harness.db
      .selectFrom('registries')
      .where('id', '=', id)
      .select('unchangedToken')
      .executeTakeFirst();
    expect([typeof kept?.unchangedToken, now?.unchangedToken]).toEqual(['string', null]);
    serve();
    expect(await unchanged(id, 3.4)).toBe(false);
  });

  test('as long as something is amiss that may be fixed without a word', async () => {
    serve();
    host.on('/1.tar.gz', answer({ status: 404 }));
    const id = await harness.add(`${host.origin}/registry.json`);
    for (const hours of [0, 1.1, 2.2, 3.3]) expect(await unchanged(id, hours)).toBe(false);
    expect(await rule(id)).toContain('unreachable');
    serve();
    expect(await unchanged(id, 4.4)).toBe(false);
    expect(await rule(id)).not.toContain('unreachable');
  });

  test('after it failed', async () => {
    const id = await settled(serve());
    host.on('/registry.json', answer({ status: 500 }));
    expect(await harness.refresh(id, 3.3)).toBe('failing');
    serve();
    expect([await unchanged(id, 4.4), await unchanged(id, 5.5)]).toEqual([false, true]);
  });
});

test('an outcome that another look has overtaken is not written over', async () => {
  const id = await settled(serve());
  await harness.db.updateTable('registries').set({ unchangedToken: null, failures: 3 }).where('id', '=', id).execute();
  const end = { id, at: new Date(), nextCheckAt: new Date(), slow: false };
  expect(await registryRecords(harness.db).writeUnchanged(end)).toBe(false);
});

test('whether it was judged anew or stood, a look says what verify says', async () => {
  const url = serve();
  const id = await settled(url);
  for (const hours of [3.3, 24.5, 25.6, 26.7, 800]) {
    await harness.refresh(id, hours);
    expect(faults(await harness.report(id)).sort()).toEqual(faults((await verified(url)).report).sort());
  }
});
