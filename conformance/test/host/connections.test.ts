import { createServer as createPlain, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { expect, test } from 'vitest';
import { fixtureFiles } from '../../src/host/fixtures.ts';
import { type HostRun, runHostCases } from '../../src/host/run.ts';
import { reportOf } from '../../src/result.ts';
import { casesOf } from '../../src/sets.ts';
import { afterFile } from '../../../test/support/cleanup.ts';
import { certificates, type Kind } from '../../../test/support/fault-certificates.ts';
import { freePort } from '../../../test/support/free-port.ts';

/** Cases about connections: certificates, protocols, plain HTTP; and faults of the harness. */

const cases = casesOf(1, 'host');
const { ca } = certificates();

const serve: RequestListener = (request, response) => {
  const bytes = fixtureFiles().get((request.url ?? '').slice(1));
  response.writeHead(bytes ? 200 : 404, { 'Content-Type': 'application/json' });
  response.end(bytes);
};

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => server.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  return (server.address() as AddressInfo).port;
}

async function secure(kind: Kind, options: ServerOptions = {}, listener = serve): Promise<string> {
  return `https://127.0.0.1:${await portOf(createServer({ ...certificates().get(kind), ...options }, listener))}/`;
}

async function observe(run: HostRun, ...ids: string[]): Promise<string[]> {
  const chosen = cases.filter(({ id }) => ids.includes(id));
  const observations = await runHostCases(chosen, { ca, ...run });
  return observations.map(({ id, verdict, message, observed }) => [id, verdict, message ?? observed].join(': '));
}

test.each<[Kind, string]>([
  ['expired', 'CERT_HAS_EXPIRED'],
  ['wrong-host', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['leaf-only', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
])('a certificate that is not trusted fails one case, and no other is judged: %s', async (kind, code) => {
  expect(await observe({ url: await secure(kind) }, 'certificate', 'https', 'get-manifest')).toEqual([
    `get-manifest: not-run: The TLS connection fails: ${code}.`,
    'https: pass: The URL begins with https:.',
    `certificate: fail: The TLS connection fails: ${code}.`,
  ]);
});

test('a certificate that expires soon fails a recommended case', async () => {
  expect(await observe({ url: await secure('soon') }, 'certificate', 'certificate-lifetime')).toEqual([
    'certificate: pass: The certificate is trusted.',
    'certificate-lifetime: fail: Certificate that expires soon (rule tls-expiring).',
  ]);
});

test('the versions of TLS', async () => {
  const old = await secure('good', { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' });
  expect(await observe({ url: old }, 'old-tls', 'tls-versions')).toEqual([
    'old-tls: fail: The host accepts TLSv1.1, which is deprecated (RFC 8996).',
    'tls-versions: pass: TLSv1.2, TLSv1.3',
  ]);
  const middle = await secure('good', { maxVersion: 'TLSv1.2' });
  expect(await observe({ url: middle }, 'old-tls', 'tls-versions')).toEqual([
    'old-tls: pass: TLS 1.0 and 1.1 are refused.',
    'tls-versions: pass: TLSv1.2',
  ]);
});

test('HTTP/2', async () => {
  const server = createSecureServer({ ...certificates().get('good'), allowHTTP1: true });
  server.on('request', (_, response) => response.end());
  const url = `https://127.0.0.1:${await portOf(server)}/`;
  expect(await observe({ url }, 'http-2')).toEqual(['http-2: pass: HTTP/2 is offered.']);
  expect(await observe({ url: await secure('good') }, 'http-2')).toEqual(['http-2: pass: HTTP/2 is not offered.']);
});

test('plain HTTP beside HTTPS', async () => {
  const url = await secure('good');
  const redirecting = createPlain((_, response) => response.writeHead(301, { Location: url }).end());
  expect(await observe({ url, plainPort: await portOf(redirecting) }, 'plain-http')).toEqual([
    'plain-http: pass: Status 301, which redirects to https:.',
  ]);
  const elsewhere = createPlain((_, response) => response.writeHead(301, { Location: 'https://[' }).end());
  expect(await observe({ url, plainPort: await portOf(elsewhere) }, 'plain-http')).toEqual([
    'plain-http: pass: Status 301 without a redirect.',
  ]);
  expect(await observe({ url, plainPort: await portOf(createPlain(serve)) }, 'plain-http')).toEqual([
    'plain-http: fail: The manifest is served over plain HTTP (status 200).',
  ]);
  expect(await observe({ url, plainPort: await freePort() }, 'plain-http')).toEqual([
    'plain-http: pass: Plain HTTP is not answered.',
  ]);
  expect(await observe({ url }, 'plain-http')).toEqual(['plain-http: not-run: The port of plain HTTP is not known.']);
});

test('a redirect from HTTPS to plain HTTP', async () => {
  const plain = await portOf(createPlain(serve));
  const url = await secure('good', {}, (request, response) => {
    response.writeHead(302, { Location: `http://127.0.0.1:${plain}${request.url}` }).end();
  });
  expect(await observe({ url }, 'redirect-to-https')).toEqual([
    expect.stringMatching(/^redirect-to-https: fail: .* \(rule redirect-insecure/),
  ]);
});

test('plain HTTP fails one required case, and has no TLS', async () => {
  const url = `http://127.0.0.1:${await portOf(createPlain(serve))}/registry.json`;
  expect(await observe({ url }, 'https', 'certificate', 'get-manifest')).toEqual([
    'get-manifest: pass: get: 200, no content-encoding',
    'https: fail: The URL begins with http:. Serve the registry over HTTPS.',
    'certificate: not-run: The URL begins with http:, so there is no TLS.',
  ]);
});

test('a host that cannot be reached is a fault of the harness, and results contain no address', async () => {
  const url = `https://127.0.0.1:${await freePort()}/?token=secret-token`;
  const observations = await runHostCases(cases, { url });
  const report = reportOf(cases, observations, { role: 'host', set: 1, implementation: null, expected: new Map() });
  expect(report.outcome).toBe('incomplete');
  expect(new Set(report.cases.map(({ status }) => status))).toEqual(new Set(['harness-error']));
  expect(report.cases[0]?.message).toBe('The host cannot be reached (ECONNREFUSED). Check the URL and the network.');
  expect(JSON.stringify(report)).not.toMatch(/127\.0\.0\.1|secret-token/);
});
