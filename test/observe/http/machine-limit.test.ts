import { lookup as lookUp } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHttpClient } from '../../../src/observe/http/client.ts';
import { answer, type FaultHost, openFaultHost } from '../../support/fault-host.ts';

/** Limits of this machine, which are no fault of the host. */

let host: FaultHost;
beforeAll(async () => {
  host = await openFaultHost();
  host.on('/x', answer({ body: 'x' }));
});
afterAll(() => host.close());

/** A lookup that fails the first times as the system does when it has no more files. */
function lookupFailing(times: number, code: string): LookupFunction {
  let failures = 0;
  return (name, options, callback) => {
    failures += 1;
    if (failures > times) return lookUp(name, options, callback);
    callback(Object.assign(new Error(`${code}: no resources`), { code }), '', 4);
  };
}

function request(count: number, lookup: LookupFunction) {
  const http = openHttpClient({ lookup });
  const url = `http://localhost:${host.port}/x`;
  const probes = Promise.all(
    Array.from({ length: count }, () => http.probe({ method: 'GET', url, origin: null, accept: '*/*', total: 20_000 })),
  );
  return probes.then(async (all) => {
    await http.close();
    return { all, limit: http.machineLimit() };
  });
}

test.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EAGAIN', 'EADDRNOTAVAIL'])(
  '%s: the requests are sent again, with fewer at once',
  async (code) => {
    const { all, limit } = await request(20, lookupFailing(12, code));
    expect(all.map(({ failure, hops }) => failure?.code ?? hops.at(-1)?.status)).toEqual(all.map(() => 200));
    expect(limit).toBeNull();
  },
);

test('a request that cannot be sent at all is no failure of the host', async () => {
  const { all, limit } = await request(1, lookupFailing(Infinity, 'EMFILE'));
  expect(all[0]?.failure).toMatchObject({ phase: 'not-sent', code: 'EMFILE' });
  expect(limit).toBe('EMFILE');
});
