import { createServer, type Server, type Socket } from 'node:net';
import type { LookupFunction } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { certificates } from '../../support/fault-certificates.ts';
import { type FaultHost, openFaultHost } from '../../support/fault-host.ts';
import { faults, type Live, putRegistry } from '../../support/live-registry.ts';
import { verifyPatiently } from '../../support/live-fixture.ts';

/** A host name with two addresses, one of them faulty: one finding, regardless of their order. */

const GOOD = '127.0.0.1';
const BAD = '127.0.0.2';
let host: FaultHost;
let live: Live;
let bad: Server | null = null;

beforeEach(async () => {
  host = await openFaultHost({ tls: certificates().get('names') });
  live = putRegistry({ ...host, origin: `https://registry.test:${host.port}` });
});
afterEach(async () => {
  await host.close();
  await new Promise((resolve) => (bad === null ? resolve(null) : bad.close(resolve)));
  bad = null;
});

async function listen(server: Server): Promise<void> {
  bad = server.on('connection', (socket: Socket) => socket.on('error', () => {}));
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(host.port, BAD, resolve));
}

/** Each lookup returns the next of these lists, as name servers rotate the addresses. */
function rotating(...lookups: string[][]): LookupFunction {
  let turn = 0;
  return (_, options, callback) => {
    const list = (lookups[turn++ % lookups.length] ?? []).map((address) => ({ address, family: 4 }));
    if (options.all) callback(null, list);
    else callback(null, list[0]?.address ?? '', 4);
  };
}

/** The addresses that name servers return, for one lookup after the other. */
const ORDERS: { order: string; lookups: string[][] }[] = [
  { order: 'the good one first', lookups: [[GOOD, BAD]] },
  { order: 'the bad one first', lookups: [[BAD, GOOD]] },
  {
    order: 'in turn',
    lookups: [
      [GOOD, BAD],
      [BAD, GOOD],
    ],
  },
  {
    order: 'in turn, the other way',
    lookups: [
      [BAD, GOOD],
      [GOOD, BAD],
    ],
  },
];
const tls = (kind: 'expired' | 'wrong-host' | 'self-signed' | 'leaf-only') => (): Server =>
  createTlsServer(certificates().get(kind), (socket) => void socket.on('error', () => {}));
const FAULTS: { fault: string; server: (() => Server) | null; expected: string }[] = [
  {
    fault: 'an expired certificate',
    server: tls('expired'),
    expected: 'error addresses-differ expired (manifest)',
  },
  {
    fault: 'a certificate for another name',
    server: tls('wrong-host'),
    expected: 'error addresses-differ wrong-host (manifest)',
  },
  {
    fault: 'a self-signed certificate',
    server: tls('self-signed'),
    expected: 'error addresses-differ self-signed (manifest)',
  },
  {
    fault: 'a reset in the handshake',
    server: () => createServer((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    expected: 'error addresses-differ reset (manifest)',
  },
  {
    fault: 'plain http',
    server: () =>
      createServer((socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))),
    expected: 'error addresses-differ handshake (manifest)',
  },
  { fault: 'a refused connection', server: null, expected: 'warning host-intermittent address-dead (manifest)' },
];

describe.each(FAULTS)('a name with $fault at one of two addresses', ({ server, expected }) => {
  test.each(ORDERS)('has one finding with $order', async ({ lookups }) => {
    if (server !== null) await listen(server());
    const { report } = await verifyPatiently(live.url, { lookup: rotating(...lookups) });
    expect(faults(report)).toEqual([expected]);
    const found = report.findings.find((finding) => expected.includes(finding.rule))!;
    expect(found.message).toContain(BAD);
    expect(found.message).toMatch(/^registry\.test has several addresses/);
    expect(report.apps).toMatchObject([{ visible: true }]);
    expect(report.summary.artifacts).toBe(2);
  });
});

test('the same fault at all addresses is a fault of the host', async () => {
  await listen(tls('expired')());
  const ended = await openFaultHost({ tls: certificates().get('expired') });
  try {
    const url = `https://registry.test:${ended.port}/registry.json`;
    const { report } = await verifyPatiently(url, { lookup: rotating([GOOD]) });
    expect(faults(report)).toEqual(['error tls-untrusted expired (manifest)']);
    const both = await verifyPatiently(url, { lookup: rotating([GOOD, '127.0.0.3']) });
    expect(both.report.outcome).toBe('findings');
    expect(both.report.findings[0]?.rule).toBe('tls-untrusted');
  } finally {
    await ended.close();
  }
});
