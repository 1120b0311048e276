import { describe, expect, test } from 'vitest';
import { networkOf } from '../../src/http/client-address.ts';
import { allowing, openWebFixture } from '../web-fixture.ts';

describe('the network of', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['::ffff:0:192.0.2.7', '192.0.2.7'],
    ['64:ff9b::192.0.2.7', '192.0.2.7'],
    ['64:ff9b:1::c000:207', '192.0.2.7'],
    ['2002:c000:207::1', '192.0.2.7'],
    ['2002:c000:207:ffff:1:2:3:4', '192.0.2.7'],
    // The port and the address of the client are inverted (RFC 4380).
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '192.0.2.45'],
    ['2001:db8:1:2::1', '20010db800010002/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '20010db800010002/64'],
    ['2001:db8:1:3::1', '20010db800010003/64'],
    ['::1', '0000000000000000/64'],
    ['unknown', 'unknown'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

/** A client with another address of its network for each request. */
test.each<[string, (i: number) => string, boolean]>([
  ['one IPv6 network', (i) => `2001:db8:0:1::${(i + 1).toString(16)}`, true],
  ['one IPv6 network, in other notations', (i) => `[2001:DB8:0:1:0:${i}::1]:443`, true],
  ['many IPv6 networks', (i) => `2001:db8:0:${(i + 1).toString(16)}::1`, false],
  ['one IPv4 address in IPv6', (i) => (i % 2 === 0 ? '192.0.2.1' : '::ffff:192.0.2.1'), true],
  ['many 6to4 networks of one IPv4 address', (i) => `2002:c000:201:${i}::1`, true],
])('sign-ups, invalid tokens and failed sign-ins from %s', { timeout: 60_000 }, async (_, address, isLimited) => {
  const web = await openWebFixture();
  try {
    const trustProxy = [{ address: '127.0.0.1', family: 'ipv4', bits: 32 }] as const;
    const app = web.app({ trustProxy, openSignUp: true, publicUrl: 'http://localhost' }, allowing(3));
    const connection = { incoming: { socket: { remoteAddress: '127.0.0.1' }, rawHeaders: [] } };
    const send = async (path: string, init: RequestInit, i: number): Promise<number> => {
      const headers = { ...(init.headers as Record<string, string>), 'x-forwarded-for': address(i) };
      return (await app.request(path, { ...init, headers }, connection)).status;
    };
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
    const requests: [string, RequestInit][] = [
      ['/api/organizations', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"A"}' }],
      ['/api/registries', { headers: { authorization: 'Bearer apr_wrong' } }],
      ['/sign-in', { method: 'POST', headers: form, body: 'token=wrong' }],
      ['/sign-up', { method: 'POST', headers: form, body: 'name=A' }],
    ];
    for (const [path, init] of requests) {
      const statuses: number[] = [];
      for (let i = 0; i < 6; i += 1) statuses.push(await send(path, init, i));
      expect(statuses.includes(429), `${path} ${statuses.join(' ')}`).toBe(isLimited);
    }
  } finally {
    await web.stop();
  }
});
