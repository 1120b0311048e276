import type { LookupFunction, Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Probe } from '../../../src/core/facts/facts.ts';
import { type HttpOptions, openHttpClient } from '../../../src/observe/http/client.ts';
import type { AddressPolicy } from '../../../src/observe/http/address-policy.ts';
import { answer, type FaultHost, openFaultHost, redirect } from '../../support/fault-host.ts';

/** An address policy decides about connections before anything is sent over them. */

const openHosts: FaultHost[] = [];
afterEach(async () => {
  await Promise.all(openHosts.splice(0).map((host) => host.close()));
});

async function host(options: Parameters<typeof openFaultHost>[0] = {}): Promise<FaultHost> {
  const made = await openFaultHost(options);
  openHosts.push(made);
  return made;
}

/** Counts connections and the bytes that came over them. */
async function silentHost(): Promise<{ port: number; seen: { connections: number; bytes: number } }> {
  const seen = { connections: 0, bytes: 0 };
  const { port } = await host({
    onConnection(socket: Socket) {
      seen.connections += 1;
      socket.on('data', (chunk) => (seen.bytes += chunk.length));
    },
  });
  return { port, seen };
}

const refuses =
  (...addresses: string[]): AddressPolicy =>
  (_, address) =>
    addresses.includes(address ?? '') ? 'ADDRESS_REFUSED' : null;

const answers =
  (...inTurn: string[][]): LookupFunction =>
  (_, options, callback) => {
    const all = (inTurn.length > 1 ? inTurn.shift()! : inTurn[0]!).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    if (options.all) callback(null, all);
    else callback(null, all[0]!.address, all[0]!.family);
  };

async function probe(url: string, options: HttpOptions): Promise<Probe> {
  const http = openHttpClient({ backoff: () => 1, ...options });
  try {
    return await http.probe({ method: 'GET', url, origin: null, accept: '*/*', total: 4000 });
  } finally {
    await http.close();
  }
}

describe('an address policy', () => {
  test('rejects an address in a URL before any connection', async () => {
    const there = await silentHost();
    const seen = await probe(`http://127.0.0.1:${there.port}/`, { guard: refuses('127.0.0.1') });
    expect(seen.failure).toMatchObject({ phase: 'connect', code: 'ADDRESS_REFUSED' });
    expect(seen.attempts).toBe(1);
    expect(there.seen.connections).toBe(0);
  });

  test('rejects a name if one of its addresses is rejected', async () => {
    const there = await host();
    for (const all of [['127.0.0.1', '10.0.0.1'], ['10.0.0.1', '127.0.0.1'], ['10.0.0.1']]) {
      const options = { guard: refuses('10.0.0.1'), lookup: answers(all) };
      const seen = await probe(`http://reg.test:${there.port}/`, options);
      expect(seen.failure?.code).toBe('ADDRESS_REFUSED');
      expect(JSON.stringify(seen)).not.toContain('10.0.0.1');
    }
    expect(there.requests).toEqual([]);
  });

  test('checks each connection, which uses the checked address', async () => {
    const there = await host();
    there.on('/x', answer({ body: 'x', close: true }));
    const http = openHttpClient({
      guard: refuses('127.0.0.2'),
      lookup: answers(['127.0.0.1'], ['127.0.0.2']),
      retries: 0,
    });
    const ask = { method: 'GET', url: `http://reg.test:${there.port}/x`, origin: null, accept: '*/*' } as const;
    const [first, second] = [await http.probe({ ...ask, total: 4000 }), await http.probe({ ...ask, total: 4000 })];
    await http.close();
    expect(first.hops.at(-1)!.status).toBe(200);
    expect(second.failure?.code).toBe('ADDRESS_REFUSED');
    expect(there.requests).toHaveLength(1);
  });

  test('checks each redirect', async () => {
    const [from, to] = [await host(), await silentHost()];
    from.on('/r', redirect(`http://127.0.0.2:${to.port}/`));
    from.on('/name', redirect(`http://inside.test:${to.port}/`));
    const options = { guard: refuses('127.0.0.2'), lookup: answers(['127.0.0.2']) };
    for (const path of ['/r', '/name']) {
      const seen = await probe(from.origin + path, options);
      expect(seen.hops.map(({ status }) => status)).toEqual([302, 0]);
      expect(seen.failure?.code).toBe('ADDRESS_REFUSED');
    }
    expect(to.seen.connections).toBe(0);
  });

  test.each(['http', 'https'])('checks the remote address before any byte is sent over %s', async (scheme) => {
    const there = await silentHost();
    let checks = 0;
    const guard: AddressPolicy = (_, address) => (address !== null && (checks += 1) > 1 ? 'ADDRESS_REFUSED' : null);
    const seen = await probe(`${scheme}://reg.test:${there.port}/`, { guard, lookup: answers(['127.0.0.1']) });
    expect(seen.failure?.code).toBe('ADDRESS_REFUSED');
    await expect.poll(() => there.seen.connections).toBe(1);
    expect(there.seen.bytes).toBe(0);
  });

  test('checks the port before the name is resolved', async () => {
    let lookups = 0;
    const lookup: LookupFunction = (_, __, callback) => callback(null, String((lookups += 1)), 4);
    const seen = await probe('http://reg.test:8080/', { guard: ({ port }) => `PORT_${port}`, lookup });
    expect(seen.failure?.code).toBe('PORT_8080');
    expect(lookups).toBe(0);
  });
});
