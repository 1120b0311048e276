import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LookupFunction } from 'node:net';
import { certificates } from '../../support/fault-certificates.ts';
import { answer, byMethod, CORS, type FaultHost, json, openFaultHost, redirect } from '../../support/fault-host.ts';
import { archive, checksum, faults, gzipped, SVG } from '../../support/live-registry.ts';
import { verifyPatiently } from '../../support/live-fixture.ts';

/** A registry whose files are on several hosts. */

let host: FaultHost;
beforeAll(async () => {
  host = await openFaultHost({ tls: certificates().get('names') });
});
afterAll(() => host.close());

const toLoopback: LookupFunction = (_, options, callback) =>
  options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
const exceptNowhere: LookupFunction = (name, options, callback) =>
  name === 'nowhere.test'
    ? callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), '')
    : toLoopback(name, options, callback);
const BYTES = archive('export {};');

interface Hosts {
  registry?: string;
  metadata?: string;
  icon?: string;
  artifact?: string;
}
/** Serves the registry and returns its URL. */
function serveRegistry({
  registry = 'registry.test',
  metadata = 'registry.test',
  icon = 'cdn.test',
  artifact = 'cdn.test',
}: Hosts): string {
  const origin = (name: string): string => `https://${name}:${host.port}`;
  const app = {
    name: 'App A',
    description: 'Does a thing.',
    blockStyle: { iconUrl: `${origin(icon)}/a.svg`, color: '#336699' },
    appMetadataUrl: `${origin(metadata)}/a.json`,
  };
  host.on('/r.json', json({ apps: { 'app-a': app } }));
  host.on(
    '/a.json',
    json({
      versions: [{ version: '1.0.0', artifactUrl: `${origin(artifact)}/1.tar.gz`, artifactChecksum: checksum(BYTES) }],
    }),
  );
  host.on('/1.tar.gz', gzipped(BYTES));
  icons({});
  return `${origin(registry)}/r.json`;
}
function icons(headers: Record<string, string>): void {
  host.on(
    '/a.svg',
    byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS, ...headers }, body: SVG }) }),
  );
}
async function findingsOf(url: string, serviceOrigin = 'https://svc.test'): Promise<string[]> {
  return faults((await verifyPatiently(url, { lookup: toLoopback, origins: [serviceOrigin] })).report).sort();
}

describe('a registry has no findings', () => {
  test('on four hosts, one of them with a wildcard certificate', async () => {
    expect(
      await findingsOf(serveRegistry({ metadata: 'svc.test', icon: 'img.svc.test', artifact: 'files.svc.test' })),
    ).toEqual([]);
  });
  test('with a trailing dot in its host name', async () => {
    expect(await findingsOf(serveRegistry({ registry: 'registry.test.' }))).toEqual([]);
  });
  test('on the origin of the service, with same-origin policies', async () => {
    const own = 'svc.test';
    const url = serveRegistry({ registry: own, metadata: own, icon: own, artifact: own });
    icons({
      'Access-Control-Allow-Origin': `https://svc.test:${host.port}`,
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    expect(await findingsOf(url, `https://svc.test:${host.port}`)).toEqual([]);
  });
  test('with icons for pages of the same site', async () => {
    const url = serveRegistry({ icon: 'img.svc.test' });
    icons({ 'Cross-Origin-Resource-Policy': 'same-site' });
    expect(await findingsOf(url)).toEqual([]);
  });
  test('with an artifact that is redirected through three hosts', async () => {
    const url = serveRegistry({});
    host.on('/1.tar.gz', redirect(`https://svc.test:${host.port}/2.tar.gz`));
    host.on('/2.tar.gz', redirect(`//files.svc.test:${host.port}/3.tar.gz`));
    host.on('/3.tar.gz', gzipped(BYTES));
    expect(await findingsOf(url)).toEqual([]);
  });
});

describe('a host', () => {
  test('that is not named in its certificate is one error for its files', async () => {
    expect(await findingsOf(serveRegistry({ artifact: 'deep.files.svc.test' }))).toEqual([
      'error tls-untrusted wrong-host (artifact 1.0.0)',
    ]);
  });
  test('that allows only pages of its own site to embed its icons is an error for another service', async () => {
    const url = serveRegistry({ icon: 'cdn.test' });
    icons({ 'Cross-Origin-Resource-Policy': 'same-site' });
    expect(await findingsOf(url)).toEqual(['error icon-embedding-refused same-site (icon)']);
  });
  test('whose name does not resolve is an error for its icon', async () => {
    const url = serveRegistry({ icon: 'nowhere.test' });
    const { report } = await verifyPatiently(url, { lookup: exceptNowhere, origins: ['https://svc.test'] });
    expect(faults(report)).toEqual(['error unreachable dns-not-found (icon)']);
  });
});

test('a port that browsers block is one error if the connection is refused', async () => {
  const url = serveRegistry({});
  const listed = {
    version: '1.0.0',
    artifactUrl: 'https://cdn.test:6000/1.tar.gz',
    artifactChecksum: checksum(BYTES),
  };
  host.on('/a.json', json({ versions: [listed] }));
  const { report } = await verifyPatiently(url, { lookup: toLoopback });
  expect(faults(report)).toEqual(['error url-port-blocked (artifact 1.0.0)']);
});

test('a port that browsers block is one error even if the file is served (url-port-blocked)', async () => {
  const port = 10_080;
  const blocked = await openFaultHost({ tls: certificates().get('names'), port });
  try {
    const url = serveRegistry({});
    const listed = {
      version: '1.0.0',
      artifactUrl: `https://cdn.test:${port}/1.tar.gz`,
      artifactChecksum: checksum(BYTES),
    };
    host.on('/a.json', json({ versions: [listed] }));
    blocked.on('/1.tar.gz', gzipped(BYTES));
    const { report } = await verifyPatiently(url, { lookup: toLoopback });
    expect(faults(report)).toEqual(['error url-port-blocked (artifact 1.0.0)']);
  } finally {
    await blocked.close();
  }
});
