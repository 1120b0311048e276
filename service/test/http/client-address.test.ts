import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { trustedProxies } from '../../src/config/settings.ts';
import { type Client, openClientDetection } from '../../src/http/client-address.ts';
import { errorOf } from '../../../test/support/folders.ts';

/** The client of a request that arrives from `peer` at a service with TRUST_PROXY. */
async function clientOf(
  trustProxy: string,
  peer: string | undefined,
  headers: Record<string, string>,
): Promise<Client> {
  const app = new Hono();
  const detect = openClientDetection(trustedProxies(trustProxy));
  app.get('/', (c) => c.json(detect(c)));
  const socket = { remoteAddress: peer, remotePort: 50_000, remoteFamily: 'IPv4' };
  const response = await app.request('/', { headers }, { incoming: { socket } });
  return (await response.json()) as Client;
}

const PROXY = '10.0.0.1';

describe('the address of a client', () => {
  test.each<[string, string, string, string | null, string]>([
    ['the connection without TRUST_PROXY', '', '203.0.113.9', '198.51.100.7', '203.0.113.9'],
    ['the connection if it is not a trusted proxy', PROXY, '203.0.113.9', '198.51.100.7', '203.0.113.9'],
    ['the proxy if it sends no header', PROXY, PROXY, null, PROXY],
    ['the proxy if the header is empty', PROXY, PROXY, '', PROXY],
    ['the entry of a trusted proxy', PROXY, PROXY, '198.51.100.7', '198.51.100.7'],
    [
      'the rightmost entry, left of which anything may be forged',
      PROXY,
      PROXY,
      '1.1.1.1, 198.51.100.7',
      '198.51.100.7',
    ],
    [
      'the entry left of a second trusted proxy',
      `${PROXY},10.0.0.2`,
      PROXY,
      '1.1.1.1, 198.51.100.7, 10.0.0.2',
      '198.51.100.7',
    ],
    ['the entry left of a trusted network', '10.0.0.0/8', PROXY, '1.1.1.1,198.51.100.7,10.200.0.9', '198.51.100.7'],
    ['the leftmost entry if all are trusted', '10.0.0.0/8', PROXY, '10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['the proxy if its entry is not an address', PROXY, PROXY, '198.51.100.7, unknown', PROXY],
    [
      'the last address before an entry that is not one',
      '10.0.0.0/8',
      PROXY,
      '198.51.100.7, _hidden, 10.2.2.2',
      '10.2.2.2',
    ],
    ['an address without its port', PROXY, PROXY, '198.51.100.7:4711', '198.51.100.7'],
    ['an IPv6 address', PROXY, PROXY, '2001:DB8:0::7', '2001:db8::7'],
    ['an IPv6 address without brackets and port', PROXY, PROXY, '[2001:db8::7]:4711', '2001:db8::7'],
    ['an IPv6 address in brackets', PROXY, PROXY, '[2001:db8::7]', '2001:db8::7'],
    ['an embedded IPv4 address', PROXY, PROXY, '::ffff:198.51.100.7', '198.51.100.7'],
    ['that behind an IPv6 proxy', '2001:db8::/32', '2001:db8:1::1', '198.51.100.7', '198.51.100.7'],
    ['that behind a proxy on a socket for both families', PROXY, `::ffff:${PROXY}`, '198.51.100.7', '198.51.100.7'],
    ['that behind a proxy given as an embedded address', `::ffff:${PROXY}`, PROXY, '198.51.100.7', '198.51.100.7'],
    ['that behind a proxy with a zone', 'fe80::1', 'fe80::1%eth0', '198.51.100.7', '198.51.100.7'],
    ['the connection next to a trusted network', '10.0.0.0/30', '10.0.0.4', '198.51.100.7', '10.0.0.4'],
    [
      'the connection next to a trusted IPv6 network',
      '2001:db8::/48',
      '2001:db8:1::1',
      '198.51.100.7',
      '2001:db8:1::1',
    ],
    ['the IPv4 connection if only IPv6 is trusted', '::/0', '203.0.113.9', '198.51.100.7', '203.0.113.9'],
  ])('is %s', async (_, trustProxy, peer, forwarded, expected) => {
    const headers: Record<string, string> = forwarded === null ? {} : { 'x-forwarded-for': forwarded };
    expect((await clientOf(trustProxy, peer, headers)).address).toBe(expected);
  });

  test('is unknown without a connection', async () => {
    expect(await clientOf('0.0.0.0/0,::/0', undefined, { 'x-forwarded-for': '198.51.100.7' })).toEqual({
      address: 'unknown',
      secure: false,
    });
  });

  test('is not read from Forwarded or X-Real-IP', async () => {
    const headers = { forwarded: 'for=198.51.100.7', 'x-real-ip': '198.51.100.7' };
    expect((await clientOf(PROXY, PROXY, headers)).address).toBe(PROXY);
  });
});

describe('the scheme of a client', () => {
  test.each<[string, string, string | null, boolean]>([
    ['from a trusted proxy', PROXY, 'https', true],
    ['in upper case', PROXY, 'HTTPS', true],
    ['that is plain http', PROXY, 'http', false],
    ['of the nearest of two proxies', PROXY, 'http, https', true],
    ['that is missing', PROXY, null, false],
    ['from any other client', '203.0.113.9', 'https', false],
  ])('is read from X-Forwarded-Proto: one %s', async (_, peer, scheme, secure) => {
    const headers: Record<string, string> = scheme === null ? {} : { 'x-forwarded-proto': scheme };
    expect((await clientOf(PROXY, peer, headers)).secure).toBe(secure);
  });
});

describe('TRUST_PROXY', () => {
  test('is a list with any spacing', () => {
    expect(trustedProxies(' 10.0.0.1 ,192.168.0.0/16,, 2001:db8::/32')).toEqual([
      { address: '10.0.0.1', family: 'ipv4', bits: 32 },
      { address: '192.168.0.0', family: 'ipv4', bits: 16 },
      { address: '2001:db8::', family: 'ipv6', bits: 32 },
    ]);
    expect(trustedProxies(undefined)).toEqual([]);
    expect(trustedProxies('')).toEqual([]);
  });

  test.each([
    'true',
    '1',
    'nginx',
    '*',
    '10.0.0.1/33',
    '::1/129',
    '10.0.0',
    '10.0.0.1:80',
    '10.0.0.1/',
    '10.0.0.1 10.0.0.2',
    'fe80::1%eth0',
  ])('is refused with %j', (entry) => {
    const error = errorOf(() => trustedProxies(`127.0.0.1,${entry}`));
    expect(error).toMatchObject({ code: 'setting-invalid' });
    expect(error.message).toBe(`TRUST_PROXY: “${entry}” is neither an IP address nor a network.`);
  });
});
