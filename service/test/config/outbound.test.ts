import { describe, expect, test } from 'vitest';
import { type AddressPolicyOptions, openAddressPolicy } from '../../src/config/outbound.ts';

const strict: AddressPolicyOptions = { allowHosts: [], allowHttp: false, ownPorts: () => [8080] };

/** The verdict on a URL whose host has the address, or is an address. */
function judged(url: string, address: string | null, options: Partial<AddressPolicyOptions> = {}): string | null {
  const { hostname, port, protocol } = new URL(url);
  const secure = protocol === 'https:';
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 443 : 80), secure };
  return openAddressPolicy({ ...strict, ...options })(target, address ?? target.host);
}

describe('the address policy', () => {
  test.each<[string, string | null, Partial<AddressPolicyOptions>, string | null]>([
    ['https://reg.example/', '8.8.8.8', {}, null],
    ['https://reg.example/', '10.0.0.1', {}, 'ADDRESS_REFUSED'],
    ['https://reg.example/', '::1', {}, 'ADDRESS_REFUSED'],
    ['https://8.8.8.8/', null, {}, null],
    ['https://127.1/', null, {}, 'ADDRESS_REFUSED'],
    ['https://[::ffff:8.8.8.8]/', null, {}, 'ADDRESS_REFUSED'],
    ['https://169.254.169.254/latest/meta-data', null, {}, 'ADDRESS_REFUSED'],
    ['https://reg.example:8443/', '8.8.8.8', {}, 'PORT_REFUSED'],
    ['https://reg.example:80/', '8.8.8.8', {}, 'PORT_REFUSED'],
    ['http://reg.example/', '8.8.8.8', {}, 'INSECURE_REFUSED'],
    ['http://reg.example/', '8.8.8.8', { allowHttp: true }, null],
    ['http://reg.example:8000/', '8.8.8.8', { allowHttp: true }, 'PORT_REFUSED'],
    ['http://reg.example/', '10.0.0.1', { allowHttp: true }, 'ADDRESS_REFUSED'],
    ['http://localhost:4000/', '127.0.0.1', { allowHosts: ['localhost'] }, null],
    ['http://localhost:4000/', '::1', { allowHosts: ['localhost'] }, null],
    ['http://LOCALHOST.:4000/', '::1', { allowHosts: ['LocalHost'] }, null],
    ['http://127.0.0.1:4000/', null, { allowHosts: ['localhost'] }, null],
    ['http://[::1]:4000/', null, { allowHosts: ['localhost'] }, null],
    ['http://10.0.0.1:4000/', null, { allowHosts: ['localhost'] }, 'INSECURE_REFUSED'],
    ['https://other.localhost/', '127.0.0.1', { allowHosts: ['localhost'] }, 'ADDRESS_REFUSED'],
    ['https://reg.corp:8443/', '10.1.2.3', { allowHosts: ['reg.corp'] }, null],
    ['https://reg.corp:8443/', '10.1.2.3', { allowHosts: ['reg.corp:8443'] }, null],
    ['https://reg.corp/', '10.1.2.3', { allowHosts: ['reg.corp:8443'] }, 'ADDRESS_REFUSED'],
    ['https://sub.reg.corp/', '10.1.2.3', { allowHosts: ['reg.corp'] }, 'ADDRESS_REFUSED'],
    ['https://10.1.2.3/', null, { allowHosts: ['reg.corp'] }, 'ADDRESS_REFUSED'],
    ['https://10.1.2.3/', null, { allowHosts: ['10.1.2.3'] }, null],
    ['https://[fd00::1]:9443/', null, { allowHosts: ['[fd00::1]:9443'] }, null],
    ['https://[fd00::1]/', null, { allowHosts: ['[fd00::1]'] }, null],
  ])('judges %s at %s with %o as %s', (url, address, options, verdict) => {
    expect(judged(url, address, options)).toBe(verdict);
  });

  test('refuses the service itself, unless it is allowed with its port', () => {
    expect(judged('http://localhost:8080/', '127.0.0.1', { allowHosts: ['localhost'] })).toBe('ADDRESS_REFUSED');
    expect(judged('http://127.0.0.1:8080/', null, { allowHosts: ['localhost'] })).toBe('ADDRESS_REFUSED');
    expect(judged('http://localhost:8080/', '127.0.0.1', { allowHosts: ['localhost:8080'] })).toBeNull();
  });

  test('reports refused addresses to the operator with their kind', () => {
    const refused: unknown[] = [];
    judged('https://reg.example/', '10.0.0.1', {
      onRefused: ({ host }, address, kind) => refused.push([host, address, kind]),
    });
    judged('https://reg.example/', '8.8.8.8', { onRefused: () => refused.push('no') });
    expect(refused).toEqual([['reg.example', '10.0.0.1', 'private']]);
  });
});
