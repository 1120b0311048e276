import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { rootCertificates, type TlsOptions } from 'node:tls';
import { describe, expect, test } from 'vitest';
import type { Probe } from '../../src/core/facts/facts.ts';
import { tlsCause } from '../../src/core/http/failed-request.ts';
import { type HttpOptions, openHttpClient } from '../../src/observe/http/client.ts';
import { certificates, type Kind } from '../support/fault-certificates.ts';
import { answer, openFaultHost } from '../support/fault-host.ts';

const made = certificates();

async function probe(
  tls: TlsOptions,
  options: HttpOptions = {},
  name = '127.0.0.1',
): Promise<{ seen: Probe; requests: number }> {
  const host = await openFaultHost({ tls });
  host.on('/x', answer({ body: 'hello' }));
  const http = openHttpClient({ backoff: () => 1, ca: made.ca, ...options });
  const seen = await http.probe({
    method: 'GET',
    url: `https://${name}:${host.port}/x`,
    origin: null,
    accept: '*/*',
    total: 20_000,
  });
  await http.close();
  await host.close();
  return { seen, requests: host.requests.length };
}

test('a certificate of a private authority is accepted with its facts', async () => {
  const { seen } = await probe(made.get('good'));
  expect(seen.failure).toBeNull();
  expect(seen.hops[0]!.tls).toMatchObject({
    protocol: 'TLSv1.3',
    subject: 'CN=localhost',
    names: ['localhost', '127.0.0.1'],
    issuer: 'CN=Test Intermediate',
    notBefore: '2020-01-01T00:00:00.000Z',
    notAfter: '2045-01-01T00:00:00.000Z',
    chainLength: 3,
    privateCa: true,
    authority: '--ca',
  });
});

test('an authority of the machine is recorded as such, even if --ca names another one', async () => {
  const { seen } = await probe(made.get('good'), { ca: rootCertificates[0]!, machineCa: made.ca });
  expect(seen.failure).toBeNull();
  expect(seen.hops[0]!.tls).toMatchObject({ privateCa: true, authority: 'NODE_EXTRA_CA_CERTS' });
});

describe('the TLS handshake', () => {
  test.each<{ kind: Kind; code: string; cause: string }>([
    { kind: 'expired', code: 'CERT_HAS_EXPIRED', cause: 'expired' },
    { kind: 'future', code: 'CERT_NOT_YET_VALID', cause: 'not-yet-valid' },
    { kind: 'wrong-host', code: 'ERR_TLS_CERT_ALTNAME_INVALID', cause: 'wrong-host' },
    { kind: 'no-san', code: 'ERR_TLS_CERT_ALTNAME_INVALID', cause: 'wrong-host' },
    { kind: 'self-signed', code: 'DEPTH_ZERO_SELF_SIGNED_CERT', cause: 'self-signed' },
    { kind: 'leaf-only', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', cause: 'incomplete-chain' },
    { kind: 'client-only', code: 'INVALID_PURPOSE', cause: 'wrong-purpose' },
  ])('fails for a certificate that is $kind', async ({ kind, code, cause }) => {
    const { seen, requests } = await probe(made.get(kind));
    expect(seen.failure).toMatchObject({ phase: 'tls', code });
    expect(tlsCause(seen)).toBe(cause);
    expect(seen.hops).toMatchObject([
      { status: 0, tls: { fingerprint256: expect.stringMatching(/^([0-9A-F]{2}:){31}/), privateCa: false } },
    ]);
    expect(requests, 'no request is sent over it').toBe(0);
    expect(seen.attempts).toBe(1);
  });

  // Node uses the common name if there is no other name; browsers do not (RFC 9525 section 6.3).
  test.each<Kind>(['no-san', 'uri-only'])(
    'fails for a certificate with the name only in the common name: %s',
    async (kind) => {
      const { seen, requests } = await probe(made.get(kind), {}, 'localhost');
      expect(seen.failure).toMatchObject({ phase: 'tls', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
      expect(tlsCause(seen)).toBe('wrong-host');
      expect(seen.hops).toMatchObject([{ status: 0, tls: { subject: 'CN=localhost', names: [] } }]);
      expect(requests).toBe(0);
    },
  );

  test.each<[Kind, string]>([
    ['good', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
    ['with-root', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ])('fails for an unknown authority: %s', async (kind, code) => {
    const { seen } = await probe(made.get(kind), { ca: null });
    expect(seen.failure).toMatchObject({ phase: 'tls', code });
    expect(tlsCause(seen)).toBe('unknown-issuer');
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('fails if a client certificate is required in %s', async (version) => {
    const { seen, requests } = await probe({
      ...made.get('good'),
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: version,
      maxVersion: version,
    });
    expect(seen.failure?.phase).toBe('tls');
    expect(tlsCause(seen)).toBe('client-certificate-required');
    expect(requests).toBe(0);
  });

  test('succeeds if a client certificate is optional', async () => {
    const { seen } = await probe({ ...made.get('good'), requestCert: true, rejectUnauthorized: false });
    expect(seen.failure).toBeNull();
  });

  test('fails without a common cipher, which is not a fault of the certificate', async () => {
    const { seen } = await probe({
      ...made.get('good'),
      maxVersion: 'TLSv1.2',
      ciphers: 'ECDHE-ECDSA-CAMELLIA128-SHA256',
    });
    expect(seen.failure).toMatchObject({ phase: 'tls', code: expect.stringContaining('HANDSHAKE_FAILURE') });
    expect(tlsCause(seen)).toBeNull();
  });

  test('fails if the host supports only an old protocol', async () => {
    const { seen } = await probe({
      ...made.get('good'),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    expect(seen.failure?.phase).toBe('tls');
    expect(tlsCause(seen)).toBe('old-protocol');
  });
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)('the handshake succeeds if the host supports only %s', async (version) => {
  const { seen } = await probe({ ...made.get('good'), minVersion: version, maxVersion: version });
  expect(seen.failure).toBeNull();
  expect(seen.hops[0]!.tls!.protocol).toBe(version);
});

test('the client sends the server name', async () => {
  const names: string[] = [];
  const { seen } = await probe(
    { ...made.get('good'), SNICallback: (name, done) => (names.push(name), done(null)) },
    {},
    'localhost',
  );
  expect(seen.failure).toBeNull();
  expect(names).toContain('localhost');
});

test('the handshake fails if the host supports only HTTP/2', async () => {
  const { seen } = await probe({ ...made.get('good'), ALPNProtocols: ['h2'] });
  expect(seen.failure).toMatchObject({ phase: 'tls', code: expect.stringContaining('NO_APPLICATION_PROTOCOL') });
});

async function raw(onConnection: (socket: import('node:net').Socket) => void): Promise<Probe> {
  const server = createServer((socket) => onConnection(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const http = openHttpClient({ connectTimeout: 1000, retries: 0 });
  const seen = await http.probe({
    method: 'GET',
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    origin: null,
    accept: '*/*',
    total: 5000,
  });
  await http.close();
  server.close();
  return seen;
}

describe('a handshake without a response', () => {
  test('fails if the connection is closed after the first message', async () => {
    const seen = await raw((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(seen.failure).toMatchObject({ phase: 'tls', code: 'ECONNRESET' });
    expect(tlsCause(seen)).toBeNull();
  });

  test('fails if the port serves plain http', async () => {
    const seen = await raw((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    expect(seen.failure).toMatchObject({
      phase: 'tls',
      code: expect.stringMatching(/WRONG_VERSION_NUMBER|PACKET_LENGTH|EPROTO/),
    });
  });

  test('fails after the connection timeout', async () => {
    const seen = await raw(() => {});
    expect(seen.failure).toMatchObject({ phase: 'tls', code: 'CONNECT_TIMEOUT' });
  });
});
