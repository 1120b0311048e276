import type { LookupFunction } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Proxy } from '../../../src/observe/http/proxy.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import { isMissing, type Snapshot } from '../../../src/core/facts/facts.ts';
import { certificates } from '../../support/fault-certificates.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultHost,
  GOOD_JSON,
  json,
  openFaultHost,
} from '../../support/fault-host.ts';
import { faults, gzipped, type Live, putRegistry, SVG } from '../../support/live-registry.ts';
import { verifyPatiently } from '../../support/live-fixture.ts';

/** A host name with several addresses, each of which is a server of its own. */

const FIRST = '127.0.0.1';
const SECOND = '127.0.0.2';
const THIRD = '127.0.0.3';
const open: FaultHost[] = [];
let first: FaultHost;
let live: Live;

beforeEach(async () => {
  first = await server(FIRST);
  live = putRegistry(named(first));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((host) => host.close()));
});

async function server(host: string, certificate: 'names' | 'expired' = 'names'): Promise<FaultHost> {
  const port = open[0]?.port ?? 0;
  const opened = await openFaultHost({ tls: certificates().get(certificate), host, port });
  open.push(opened);
  return opened;
}

/** The host by the name that all addresses share. */
function named(host: FaultHost): FaultHost {
  return { ...host, origin: `https://registry.test:${first.port}` };
}

/** A server that serves the same registry. */
async function mirror(address: string): Promise<{ host: FaultHost; copy: Live }> {
  const host = await server(address);
  return { host, copy: putRegistry(named(host)) };
}

function resolvesTo(...addresses: string[]): LookupFunction {
  const list = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_, options, callback) => {
    if (options.all) callback(null, list);
    else callback(null, list[0]?.address ?? '', list[0]?.family ?? 4);
  };
}

async function found(...addresses: string[]) {
  const options = { lookup: resolvesTo(...addresses), eachAddress: true, connectTimeout: 4000 };
  const { report, manifest, apps } = await verifyPatiently(live.url, options);
  return { report, manifest, apps, faults: faults(report) };
}

const whole = (headers: Record<string, string>, body: string | Buffer): Behaviour =>
  byMethod({ GET: answer({ headers, body }) });

function withoutCors(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !(name in CORS)));
}

test('addresses that serve the same have no finding, and each is requested for each kind of resource', async () => {
  const { host } = await mirror(SECOND);
  const { faults: all } = await found(FIRST, SECOND);
  expect(all).toEqual([]);
  for (const path of ['/registry.json', '/a.json', '/a.svg', '/2.tar.gz'])
    expect([path, host.requestsFor(path, 'GET').length > 0]).toEqual([path, true]);
  // Two requests, as a server and as a browser; only for the newest artifact.
  expect(host.requestsFor('/1.tar.gz')).toEqual([]);
  expect(host.requestsFor('/registry.json')).toHaveLength(2);
});

test('without the option nothing more is requested', async () => {
  const { host } = await mirror(SECOND);
  await verifyPatiently(live.url, { lookup: resolvesTo(FIRST, SECOND) });
  expect(host.requests).toEqual([]);
});

interface Case {
  name: string;
  serve: (host: FaultHost, copy: Live) => void;
  expected: string[];
  message: string | RegExp;
}

const CASES: Case[] = [
  {
    name: 'an address without the manifest',
    serve: (host) => void host.on('/registry.json', answer({ status: 404, body: 'no such file' })),
    expected: ['error addresses-differ status (manifest)'],
    message: `${SECOND} responds with 404, but ${FIRST} with 200`,
  },
  {
    name: 'an address that fails for artifacts',
    serve: (host) => void host.on('/2.tar.gz', answer({ status: 503, body: 'down' })),
    expected: ['error addresses-differ status (artifact 2.0.0)'],
    message: `${SECOND} responds with 503`,
  },
  {
    name: 'an address with an older metadata file',
    serve: (_, copy) => {
      const versions = copy.versions.slice(1);
      copy.serve(
        'a.json',
        whole({ ...GOOD_JSON, 'Last-Modified': 'Mon, 02 Nov 2026 10:00:00 GMT' }, JSON.stringify({ versions })),
      );
    },
    expected: ['error addresses-differ content (metadata)'],
    message:
      /different content for the metadata file: 127\.0\.0\.1 \(\d+ bytes, .*127\.0\.0\.2 \(.*Last-Modified Mon, 02 Nov 2026/,
  },
  {
    name: 'an address with another artifact',
    serve: (_, copy) => copy.serve('2.tar.gz', gzipped(live.older)),
    expected: ['error addresses-differ content (artifact 2.0.0)'],
    message: 'different content for the artifact',
  },
  {
    name: 'an address without CORS headers for the icon',
    serve: (_, copy) => copy.serve('a.svg', whole({ 'Content-Type': 'image/svg+xml' }, SVG)),
    expected: ['error addresses-differ cors (icon)'],
    message: `${SECOND} (no Access-Control-Allow-Origin) does not, ${FIRST} does`,
  },
  {
    name: 'an address that allows another origin only',
    serve: (_, copy) =>
      copy.serve(
        'registry.json',
        whole(
          { ...withoutCors(GOOD_JSON), 'Access-Control-Allow-Origin': 'https://other.example' },
          JSON.stringify(manifestOf(live)),
        ),
      ),
    expected: ['error addresses-differ cors (manifest)'],
    message: 'Access-Control-Allow-Origin: https://other.example',
  },
  {
    name: 'an address without the newest artifact, which is listed last',
    serve: (host, copy) => {
      for (const one of [live, copy]) {
        one.versions.reverse();
        one.list();
      }
      host.on('/2.tar.gz', answer({ status: 404, body: 'no such file' }));
    },
    expected: ['error addresses-differ status (artifact 2.0.0)'],
    message: `${SECOND} responds with 404`,
  },
  {
    name: 'an address with another type of the metadata file',
    serve: (_, copy) =>
      copy.serve(
        'a.json',
        whole({ ...GOOD_JSON, 'Content-Type': 'text/plain' }, JSON.stringify({ versions: copy.versions })),
      ),
    expected: ['warning addresses-differ type (metadata)'],
    message: `${FIRST} (application/json), ${SECOND} (text/plain)`,
  },
  {
    name: 'an address that sends the icon as text',
    serve: (_, copy) => copy.serve('a.svg', whole({ 'Content-Type': 'text/plain', ...CORS }, SVG)),
    expected: ['error addresses-differ type (icon)'],
    message: `${SECOND} (text/plain)`,
  },
  {
    name: 'an address whose icon other pages may not embed',
    serve: (_, copy) =>
      copy.serve(
        'a.svg',
        whole({ 'Content-Type': 'image/svg+xml', ...CORS, 'Cross-Origin-Resource-Policy': 'same-origin' }, SVG),
      ),
    expected: ['error addresses-differ corp (icon)'],
    message: `${SECOND} (same-origin)`,
  },
  {
    name: 'an address that lets caches hold the manifest for a year',
    serve: (_, copy) =>
      copy.serve(
        'registry.json',
        whole({ ...GOOD_JSON, 'Cache-Control': 'public, max-age=31536000' }, JSON.stringify(manifestOf(live))),
      ),
    expected: ['warning addresses-differ cache (manifest)'],
    message: `${SECOND} (public, max-age=31536000)`,
  },
  {
    name: 'an address with an old compressed copy of the metadata file',
    serve: (_, copy) => copy.serve('a.json', withGzipCopy(copy, JSON.stringify({ versions: copy.versions.slice(1) }))),
    expected: ['error addresses-differ copy (metadata)'],
    message: /browsers, or clients that accept gzip, get different content for the metadata file/,
  },
];

/** The metadata file, and another body for clients that accept gzip. */
function withGzipCopy({ versions }: Live, compressed: string): Behaviour {
  return (request, socket) => {
    const isCompressed = String(request.headers['accept-encoding']).includes('gzip');
    const vary = { ...GOOD_JSON, Vary: 'Accept-Encoding' };
    const behaviour = isCompressed
      ? whole({ ...vary, 'Content-Encoding': 'gzip' }, gzipSync(compressed))
      : whole(vary, JSON.stringify({ versions }));
    return behaviour(request, socket);
  };
}

/** What `putRegistry` serves. */
function manifestOf({ url }: Live): unknown {
  const { origin } = new URL(url);
  const blockStyle = { iconUrl: `${origin}/a.svg`, color: '#336699' };
  const app = { name: 'App A', description: 'Does a thing.', blockStyle, appMetadataUrl: `${origin}/a.json` };
  return { apps: { 'app-a': app } };
}

describe.each(CASES)('$name', ({ serve, expected, message }) => {
  test('is one error that names the address, regardless of their order', async () => {
    const { host, copy } = await mirror(SECOND);
    serve(host, copy);
    const one = await found(FIRST, SECOND);
    expect(one.faults).toEqual(expected);
    const finding = one.report.findings.find(({ rule }) => rule === 'addresses-differ');
    expect(finding?.message).toMatch(message);
    expect(finding?.message).toContain(SECOND);
    expect(String(finding?.evidence['differing'])).toContain(SECOND);
    // Saved facts give the same report.
    const snapshot: Snapshot = {
      snapshot: 1,
      target: live.url,
      seenAt: new Date().toISOString(),
      origins: [],
      manifest: one.manifest,
      apps: one.apps,
      orphans: [],
    };
    const saved = JSON.parse(JSON.stringify(snapshot)) as Snapshot;
    expect(faults(judge(saved, { command: 'judge' }))).toEqual(expected);
  });
});

test('the files of each app are requested, not only those of the first one', async () => {
  const apps = ['app-a', 'app-b'];
  const { host, copy } = await mirror(SECOND);
  const origin = named(first).origin;
  for (const one of [first, host]) {
    const [a] = Object.values((manifestOf(live) as { apps: object }).apps);
    one.on(
      '/registry.json',
      json({ apps: { [apps[0]!]: a, [apps[1]!]: { ...a, appMetadataUrl: `${origin}/b.json` } } }),
    );
    one.on('/b.json', json({ versions: copy.versions }));
  }
  host.on('/b.json', json({ versions: copy.versions.slice(1) }));
  const { report, faults: all } = await found(FIRST, SECOND);
  expect(all).toEqual(['error addresses-differ content (metadata)']);
  expect(report.findings.find(({ rule }) => rule === 'addresses-differ')?.app).toBe('app-b');
});

test('the icon of each app is requested, and one that apps share once', async () => {
  const { host } = await mirror(SECOND);
  const { origin } = named(first);
  const [a] = Object.values((manifestOf(live) as { apps: Record<string, { blockStyle: object }> }).apps);
  const b = { ...a, blockStyle: { ...a!.blockStyle, iconUrl: `${origin}/b.svg` }, appMetadataUrl: `${origin}/b.json` };
  const c = { ...a, appMetadataUrl: `${origin}/c.json` };
  for (const one of [first, host]) {
    one.on('/registry.json', json({ apps: { 'app-a': a, 'app-b': b, 'app-c': c } }));
    for (const path of ['/b.json', '/c.json']) one.on(path, json({ versions: [] }));
    one.on('/b.svg', whole({ 'Content-Type': one === host ? 'text/plain' : 'image/svg+xml', ...CORS }, SVG));
  }
  const { report, faults: all } = await found(FIRST, SECOND);
  expect(all.filter((line) => line.includes('addresses-differ'))).toEqual(['error addresses-differ type (icon)']);
  expect(report.findings.find(({ rule }) => rule === 'addresses-differ')?.app).toBe('app-b');
  expect(host.requestsFor('/a.svg').length).toBeLessThan(10);
});

test('the files of a hundred apps are requested, and the report says of which it did not', async () => {
  const { host } = await mirror(SECOND);
  const origin = named(first).origin;
  const [a] = Object.values((manifestOf(live) as { apps: object }).apps);
  const keys = Array.from({ length: 102 }, (_, i) => `app-${i}`);
  const apps = Object.fromEntries(keys.map((key) => [key, { ...a, appMetadataUrl: `${origin}/${key}.json` }]));
  for (const one of [first, host]) {
    one.on('/registry.json', json({ apps }));
    for (const key of keys) one.on(`/${key}.json`, json({ versions: [] }));
  }
  const { report } = await found(FIRST, SECOND);
  expect(host.requestsFor('/app-99.json').length).toBeGreaterThan(0);
  expect(host.requestsFor('/app-100.json')).toEqual([]);
  expect(report.notJudged.filter(({ code }) => code === 'addresses-sampled').map(({ reason }) => reason)).toEqual([
    'the addresses of registry.test for further metadata files: only the first 100 were compared',
  ]);
});

test('the address in the minority is the one that differs', async () => {
  const { copy } = await mirror(SECOND);
  await mirror(THIRD);
  copy.serve('a.svg', whole({ 'Content-Type': 'image/svg+xml', ...CORS }, `${SVG}\n`));
  const { report, faults: all } = await found(SECOND, FIRST, THIRD);
  expect(all).toEqual(['error addresses-differ content (icon)']);
  const finding = report.findings.find(({ rule }) => rule === 'addresses-differ');
  expect(finding?.evidence).toMatchObject({
    address: `${FIRST}, ${THIRD}`,
    differing: [expect.stringMatching(/^127\.0\.0\.2 [0-9a-f]{64}$/)],
  });
});

test('an address without a server is an error, once for the host', async () => {
  const { report, faults: all } = await found(FIRST, SECOND);
  expect(all).toEqual(['error addresses-differ unreachable (manifest)']);
  expect(report.findings.find(({ rule }) => rule === 'addresses-differ')?.message).toContain(
    `${SECOND} (ECONNREFUSED)`,
  );
});

test('an expired certificate at one address is one error', async () => {
  await server(SECOND, 'expired');
  expect((await found(FIRST, SECOND)).faults).toEqual(['error addresses-differ expired (manifest)']);
});

test('a refused connection over IPv6 is an error, and an IPv6 address without a route is not judged', async () => {
  const refused = await found(FIRST, '::1');
  expect(refused.faults).toEqual(['error addresses-differ unreachable (manifest)']);
  const { report, manifest, faults: all } = await found(FIRST, SECOND, '2001:db8::1');
  const { web } = manifest;
  if (isMissing(web)) throw new Error('The manifest was requested.');
  for (const addresses of web.addresses ?? []) if (!isMissing(addresses)) addresses.families = [4];
  expect(all.length).toBeGreaterThan(0);
  const snapshot: Snapshot = {
    snapshot: 1,
    target: live.url,
    seenAt: new Date().toISOString(),
    origins: [],
    manifest,
    apps: [],
    orphans: [],
  };
  const judged = judge(snapshot, { command: 'judge' });
  const finding = judged.findings.find(({ rule }) => rule === 'addresses-differ');
  expect(finding?.message).not.toContain('2001:db8::1');
  expect(judged.notJudged.map(({ code }) => code)).toContain('addresses-unroutable');
  expect(report.notJudged.every(({ code }) => code !== 'addresses-left-out')).toBe(true);
});

test('different entity tags for the same bytes are no difference', async () => {
  const { copy } = await mirror(SECOND);
  copy.serve('registry.json', whole({ ...GOOD_JSON, ETag: '"other"' }, JSON.stringify(manifestOf(live))));
  const other = JSON.stringify(manifestOf(live));
  live.serve('registry.json', whole({ ...GOOD_JSON, ETag: '"one"' }, other));
  expect((await found(FIRST, SECOND)).faults).toEqual([]);
});

test('a file that is replaced while the addresses are requested is no difference', async () => {
  const { copy } = await mirror(SECOND);
  const before = JSON.stringify({ versions: live.versions });
  const after = JSON.stringify({ versions: live.versions }, null, 2);
  let requests = 0;
  const changing: Behaviour = (request, socket) =>
    whole(GOOD_JSON, (requests += 1) > 2 ? after : before)(request, socket);
  // The first address has the new file at once.
  live.serve('a.json', whole(GOOD_JSON, after));
  copy.serve('a.json', changing);
  expect((await found(FIRST, SECOND)).faults).toEqual([]);
});

test('only the first sixteen addresses are requested, and the report says so', async () => {
  const others = Array.from({ length: 19 }, (_, i) => `127.0.0.${i + 2}`);
  const { report } = await found(FIRST, ...others);
  const entries = report.notJudged.filter(({ code }) => code === 'addresses-left-out');
  expect(entries.map(({ reason }) => reason)).toEqual([
    '4 further addresses of registry.test: only the first 16 were compared',
  ]);
});

test('behind a proxy the addresses are not judged', async () => {
  const proxy = {
    url: 'http://127.0.0.1:9',
    authorization: null,
    facts: { url: 'http://127.0.0.1:9', variable: 'HTTPS_PROXY' },
  };
  const { report } = await verifyPatiently(live.url.replace('127.0.0.1', 'registry.test'), {
    eachAddress: true,
    proxyFor: () => proxy as unknown as Proxy,
    retries: 0,
  });
  expect(report.notJudged.map(({ reason }) => reason)).toContain(
    'the addresses of registry.test: a proxy connects to the host, and chooses the address',
  );
});
