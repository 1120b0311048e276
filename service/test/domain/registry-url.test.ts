import { describe, expect, test } from 'vitest';
import { openAddressPolicy } from '../../src/config/outbound.ts';
import { parseRegistryUrl } from '../../src/domain/registry-url.ts';

const guard = openAddressPolicy({ allowHosts: ['localhost', 'reg.corp:8443'], allowHttp: false, ownPorts: () => [] });

describe('an accepted URL is normalized', () => {
  test.each([
    ['https://apps.example.com/registry.json', 'https://apps.example.com/registry.json'],
    ['  https://apps.example.com/registry.json\n', 'https://apps.example.com/registry.json'],
    ['HTTPS://Apps.Example.COM:443/Registry.json#top', 'https://apps.example.com/Registry.json'],
    ['https://apps.example.com./registry.json', 'https://apps.example.com/registry.json'],
    ['https://apps.example.com', 'https://apps.example.com/'],
    ['https://bücher.example/r.json', 'https://xn--bcher-kva.example/r.json'],
    ['https://a.example/b/../r.json?sig=A%2fb', 'https://a.example/r.json?sig=A%2fb'],
    ['http://localhost:4000/registry.json', 'http://localhost:4000/registry.json'],
    ['https://reg.corp:8443/registry.json', 'https://reg.corp:8443/registry.json'],
  ])('%s', (typed, url) => expect(parseRegistryUrl(typed, guard)).toEqual({ url }));
});

describe('a refused URL has a reason', () => {
  test.each([
    ['', 'full URL'],
    ['registry.json', 'full URL'],
    ['/registry.json', 'full URL'],
    ['apps.example.com/registry.json', 'Did you mean https://apps.example.com/registry.json?'],
    ['ftp://apps.example.com/registry.json', 'full URL'],
    ['file:///etc/passwd', 'full URL'],
    ['javascript:alert(1)', 'full URL'],
    ['https:apps.example.com/registry.json', 'full URL'],
    ['https://', 'full URL'],
    ['https://me:secret@apps.example.com/r.json', 'user name or a password'],
    ['http://apps.example.com/r.json', 'is not https'],
    ['https://apps.example.com:8443/r.json', 'has the port 8443'],
    [`https://apps.example.com/${'x'.repeat(2048)}`, 'longer than 2048'],
    [`https://apps.example.com/${'ü'.repeat(400)}`, 'longer than 2048'],
  ])('%#: %.60s', (typed, words) => {
    const result = parseRegistryUrl(typed, guard);
    expect('fault' in result ? result.fault : result).toContain(words);
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});
