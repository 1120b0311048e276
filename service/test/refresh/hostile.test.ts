import { gzipSync } from 'node:zlib';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openAddressPolicy } from '../../src/config/outbound.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  endless,
  type FaultHost,
  openFaultHost,
  redirect,
  reset,
  tagged,
} from '../../../test/support/fault-host.ts';
import { archive, checksum, faults, gzipped, SVG } from '../../../test/support/live-registry.ts';
import { writeListing } from '../../src/db/refreshed-apps.ts';
import { addApp } from '../database-fixture.ts';
import { type RefreshHarness, openRefreshHarness } from './refresh-harness.ts';

/** Hostile and broken registries: each refresh ends within its limits, and reports what is wrong. */

vi.setConfig({ testTimeout: 90_000 });

let host: FaultHost;
let harness: RefreshHarness;
const LIMITS = { refresh: 60_000, apps: 150, versionsPerApp: 20, artifacts: 5, artifactBytes: 2 ** 20 };
beforeAll(async () => {
  harness = await openRefreshHarness({}, LIMITS);
});
afterAll(() => harness.stop());
beforeEach(async () => {
  host = await openFaultHost();
});
afterEach(async () => {
  harness.context.settings.limits.refresh = LIMITS.refresh;
  await host.close();
});

/** The time of one refresh, for a host that ends no response. */
function limitRefresh(milliseconds: number): void {
  harness.context.settings.limits.refresh = milliseconds;
}

const app = (key: string, more: object = {}): object => ({
  name: key,
  description: 'D',
  blockStyle: { iconUrl: `${host.origin}/icon.svg`, color: '#112233' },
  appMetadataUrl: `${host.origin}/${key}.json`,
  ...more,
});

function serveApps(keys: readonly string[], texts: readonly string[] = ['one']): string {
  host.on('/icon.svg', byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) }));
  for (const key of keys) {
    const versions = texts.map((text, i) => {
      const bytes = archive(`${key} ${text}`);
      const artifactUrl = host.on(`/${key}-${i}.tar.gz`, gzipped(bytes));
      return { version: `1.${i}.0`, artifactUrl, artifactChecksum: checksum(bytes) };
    });
    host.on(`/${key}.json`, tagged(JSON.stringify({ versions })));
  }
  return host.on(
    '/registry.json',
    tagged(JSON.stringify({ apps: Object.fromEntries(keys.map((key) => [key, app(key)])) })),
  );
}

/** Sends a byte every 100 ms, without end. */
const drip: Behaviour = async (_, socket) => {
  socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
  while (!socket.destroyed) {
    socket.write(' ');
    await sleep(100);
  }
};

const headers: Behaviour = (_, socket) => {
  socket.write('HTTP/1.1 200 OK\r\n');
  const more = (): void => {
    while (!socket.destroyed && socket.write(`X: ${'a'.repeat(8000)}\r\n`));
    if (!socket.destroyed) socket.once('drain', more);
  };
  more();
};

describe('a manifest', () => {
  const bomb = gzipSync(Buffer.alloc(40 * 2 ** 20, 0x20));
  // Only what is sent byte by byte needs the limit of time; a limit of bytes or nesting ends the others.
  test.each<[string, () => Behaviour, string, seconds?: number]>([
    ['without end', () => endless(), 'document-oversized'],
    ['without end, compressed', () => endless('Content-Encoding: gzip\r\n'), 'document-oversized'],
    [
      'that decompresses to too many bytes',
      () => answer({ headers: { 'Content-Encoding': 'gzip' }, body: bomb }),
      'document-oversized',
    ],
    ['that is sent byte by byte', () => drip, 'unreachable', 6],
    ['with a redirect loop', () => redirect('/registry.json'), 'redirect-excessive'],
    ['with a Retry-After of a day', () => answer({ status: 429, headers: { 'Retry-After': '86400' } }), 'rate-limited'],
    ['with an interrupted connection', () => reset(), 'unreachable'],
    ['with deep nesting', () => answer({ body: `{"apps":${'['.repeat(100_000)}` }), 'document-'],
    ['with endless headers', () => headers, 'unreachable'],
  ])('%s fails within the limits', async (_, behaviour, rule, seconds = 50) => {
    host.on('/registry.json', behaviour());
    limitRefresh(seconds * 1000);
    const id = await harness.add(`${host.origin}/registry.json`);
    const started = Date.now();
    expect(await harness.refresh(id)).toBe('failing');
    // Without limits these responses do not end.
    expect(Date.now() - started).toBeLessThan(seconds * 1000 + 20_000);
    expect(faults(await harness.report(id)).join()).toContain(rule);
  });

  test('with too many apps is observed up to the limit, and the report states so', async () => {
    const apps = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`app-${i}`, app('a')]));
    serveApps(['a']);
    host.on('/registry.json', tagged(JSON.stringify({ apps })));
    const id = await harness.add(`${host.origin}/registry.json`);
    expect(await harness.refresh(id)).not.toBe('failing');
    const rows = await harness.db.selectFrom('apps').where('registryId', '=', id).select('key').execute();
    expect(rows).toHaveLength(LIMITS.apps);
    const report = await harness.report(id);
    expect(report.outcome).toBe('incomplete');
    expect(
      report.notJudged.some(({ reason }) => reason.includes('40000 apps are listed, but only the first 150')),
    ).toBe(true);
  });

  test('with other apps each time is stored up to the limit, and earlier apps are preserved', async () => {
    const id = await harness.add(`${host.origin}/rotating.json`);
    for (const key of ['a', 'b', 'c', 'd', 'e']) await addApp(harness.db, id, key, { listed: false });
    const listed = ['x', 'y', 'a'].map((key, position) => ({
      key,
      position,
      name: key,
      description: '',
      color: null,
      iconFragment: '',
      fields: {},
    }));
    await writeListing(harness.db, { id, refreshNumber: 0, requests: 0 }, listed, 2, new Date());
    const rows = await harness.db
      .selectFrom('apps')
      .where('registryId', '=', id)
      .select(['key', 'listed'])
      .orderBy('key')
      .execute();
    expect(rows.filter((row) => row.listed).map(({ key }) => key)).toEqual(['a', 'x']);
    expect(rows).toHaveLength(6);
  });

  test('with text that the database cannot store is still refreshed', async () => {
    const evil = ['a\0b', '../../etc/passwd', '__proto__', 'x'.repeat(1000), 'ok'];
    const entries = evil.map((key) => [key, app('ok', { name: `n\0${key}`, description: '\ud800\u202e<script>' })]);
    serveApps(['ok']);
    const text = `{"apps":{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${JSON.stringify(entry)}`).join()}}}`;
    host.on('/registry.json', tagged(text));
    const id = await harness.add(`${host.origin}/registry.json`);
    expect(await harness.refresh(id)).toBe('problems');
    const rows = await harness.db
      .selectFrom('apps')
      .where('registryId', '=', id)
      .select(['key', 'visible', 'latest'])
      .orderBy('key')
      .execute();
    expect(rows.find(({ key }) => key === 'ok')).toMatchObject({ latest: '1.0.0' });
    expect(rows.find(({ key }) => key.includes('passwd'))).toMatchObject({ visible: false });
    expect(rows.some(({ key }) => key.includes('\0'))).toBe(false);
  });
});

describe('an artifact', () => {
  // A bomb is refused because of its content; the others because of a timeout.
  test.each<[string, () => Behaviour, string, seconds: number]>([
    ['without end', () => endless(), 'unreachable', 6],
    ['that is sent byte by byte', () => drip, 'unreachable', 6],
    ['that is a decompression bomb', () => gzipped(gzipSync(Buffer.alloc(64 * 2 ** 20))), 'artifact-bomb ratio', 60],
  ])('%s is refused, and the valid versions are offered', async (_, behaviour, rule, seconds) => {
    const url = serveApps(['a'], ['one', 'two']);
    host.on('/a-1.tar.gz', behaviour());
    const id = await harness.add(url);
    limitRefresh(seconds * 1000);
    await harness.refresh(id);
    expect(faults(await harness.report(id)).join()).toContain(rule);
    const rows = await harness.db
      .selectFrom('versions')
      .where('registryId', '=', id)
      .select(['version', 'state', 'rule'])
      .orderBy('version')
      .execute();
    expect(rows).toMatchObject([{ state: 'verified' }, { state: 'refused' }]);
  });
});

describe('a registry that is too large for one refresh', () => {
  test('is verified in several refreshes, which follow each other soon', async () => {
    const id = await harness.add(serveApps(['a', 'b', 'c', 'd'], ['one', 'two', 'three']));
    const verified = async (): Promise<number> =>
      (
        await harness.db
          .selectFrom('versions')
          .where('registryId', '=', id)
          .where('state', '=', 'verified')
          .select('version')
          .execute()
      ).length;
    expect(await harness.refresh(id)).toBe('unfinished');
    expect(await verified()).toBe(5);
    const { nextCheckAt, checkedAt } = await harness.db
      .selectFrom('registries')
      .where('id', '=', id)
      .select(['nextCheckAt', 'checkedAt'])
      .executeTakeFirstOrThrow();
    expect(nextCheckAt.getTime() - checkedAt!.getTime()).toBeLessThan(120_000);
    const pending = (await harness.report(id)).notJudged.filter(({ code }) => code === 'over-budget');
    expect(pending.length).toBeGreaterThan(0);
    // The latest versions are verified first.
    const rows = await harness.db
      .selectFrom('versions')
      .where('registryId', '=', id)
      .where('state', '=', 'pending')
      .select('version')
      .execute();
    expect(rows.map(({ version }) => version)).toContain('1.0.0');
    expect(await harness.refresh(id, 1.1)).toBe('unfinished');
    expect(await verified()).toBe(10);
    expect(await harness.refresh(id, 2.2)).toBe('good');
    expect(await verified()).toBe(12);
  });

  test('resumes after the app at which it was interrupted', async () => {
    const url = serveApps(['a', 'b', 'c', 'd']);
    host.on('/b.json', drip);
    const id = await harness.add(url);
    const seen = new Set<string>();
    // One that starts over is never done with b. A loaded machine needs more rounds and time for the others.
    for (let i = 0; i < 20 && seen.size < 3; i += 1) {
      limitRefresh(700 + 200 * i);
      await harness.refresh(id, 1.1 * i);
      const rows = await harness.db
        .selectFrom('apps')
        .where('registryId', '=', id)
        .where('latest', 'is not', null)
        .select('key')
        .execute();
      for (const { key } of rows) seen.add(key);
    }
    expect([...seen].sort()).toEqual(['a', 'c', 'd']);
  });

  test('is stored with a limited number of versions of an app, and the report states so', async () => {
    const versions = Array.from({ length: 60 }, (_, i) => ({
      version: `1.${i}.0`,
      artifactUrl: `${host.origin}/none-${i}.tar.gz`,
      artifactChecksum: checksum(Buffer.from(String(i))),
    }));
    const url = serveApps(['a']);
    host.on('/a.json', tagged(JSON.stringify({ versions })));
    const id = await harness.add(url);
    await harness.refresh(id);
    const rows = await harness.db.selectFrom('versions').where('registryId', '=', id).select('version').execute();
    expect(rows).toHaveLength(20);
    expect((await harness.report(id)).notJudged.some(({ reason }) => reason.endsWith('so 40 were left out'))).toBe(
      true,
    );
  });
});

/** Resolves a name to the next of its addresses with each call. */
function withNames(names: Record<string, string[]>): () => void {
  const before = harness.context.outbound;
  const lookup: LookupFunction = (name, _, callback) => {
    const all = names[name] ?? ['127.0.0.1'];
    const address = all.length > 1 ? all.shift()! : all[0]!;
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };
  // As strict as usual about addresses; only the port of the host of this test is accepted.
  const strict = openAddressPolicy({ allowHosts: [], allowHttp: true, ownPorts: () => [] });
  harness.context.outbound = {
    ...before,
    lookup,
    guard: (target, address) =>
      target.port === host.port && (address === null || address === '127.0.0.1')
        ? null
        : strict({ ...target, port: 80, secure: false }, address),
  };
  return () => void (harness.context.outbound = before);
}

describe('the network of the operator', () => {
  let inside: FaultHost;
  let connections = 0;
  beforeEach(async () => {
    connections = 0;
    inside = await openFaultHost({ host: '127.0.0.2', onConnection: () => void (connections += 1) });
  });
  afterEach(() => inside.close());

  test('receives no connection for any URL of a registry', async () => {
    const port = inside.port;
    const there = [
      `http://127.0.0.2:${port}/x`,
      `http://127.2:${port}/x`,
      `http://2130706434:${port}/x`,
      `http://0x7f.2:${port}/x`,
      `http://[::ffff:127.0.0.2]:${port}/x`,
      `http://inside.test:${port}/x`,
      `https://inside.test:${port}/x`,
      `http://mixed.test:${port}/x`,
    ];
    const keys = there.map((_, i) => `a${i}`);
    serveApps(keys);
    const restore = withNames({ 'inside.test': ['127.0.0.2'], 'mixed.test': ['8.8.8.8', '127.0.0.2'] });
    try {
      there.forEach((url, i) => host.on(`/r${i}`, redirect(url)));
      const apps = Object.fromEntries(
        keys.map((key, i) => [
          key,
          app(key, {
            appMetadataUrl: i % 2 ? there[i] : `${host.origin}/r${i}`,
            blockStyle: { iconUrl: i % 2 ? `${host.origin}/r${i}` : there[i], color: '#112233' },
          }),
        ]),
      );
      host.on('/registry.json', tagged(JSON.stringify({ apps })));
      const id = await harness.add(`${host.origin}/registry.json`);
      expect(await harness.refresh(id)).toBe('problems');
      const report = await harness.report(id);
      expect(JSON.stringify(report)).toContain('could not be reached from the service');
      expect(JSON.stringify(report)).not.toMatch(/ADDRESS_REFUSED|ECONNREFUSED/);
      expect(connections).toBe(0);
    } finally {
      restore();
    }
  });

  test('receives no connection for a name that resolves to another address the second time', async () => {
    const restore = withNames({ 'rebound.test': ['127.0.0.1', '127.0.0.2'] });
    try {
      const url = serveApps(['a']).replace('127.0.0.1', 'rebound.test');
      host.on('/registry.json', (request, socket) => {
        socket.on('close', () => {});
        return answer({ headers: CORS, body: JSON.stringify({ apps: { a: app('a') } }), close: true })(request, socket);
      });
      const id = await harness.add(url);
      await harness.refresh(id);
      expect(await harness.refresh(id, 1.1)).toBe('failing');
      expect((await harness.report(id)).findings[0]?.message).toContain('could not be reached from the service');
      expect(connections).toBe(0);
    } finally {
      restore();
    }
  });
});
