import { describe, expect, test } from 'vitest';
import { otherBase } from '../../../src/observe/workspace/places.ts';

/** Whether a configured base URL fits the URLs of a manifest. */

const HERE = ['apps/a/versions.json', 'apps/b/versions.json'];
const BASE = 'https://apps.example.com/registry/';
const urlsBelow = (base: string): string[] => HERE.map((path) => base + path);
const found = (urls: readonly string[], configured: string, files = HERE): ReturnType<typeof otherBase> =>
  otherBase(urls, configured, (path) => files.includes(path));

describe('a base URL that fits no file of the workspace', () => {
  test.each([
    ['www.', 'https://www.apps.example.com/registry/'],
    ['http', 'http://apps.example.com/registry/'],
    ['another top-level domain', 'https://apps.example.net/registry/'],
    ['a port', 'https://apps.example.com:8443/registry/'],
    ['another path', 'https://apps.example.com/registry/v2/'],
    ['no path', 'https://apps.example.com'],
    ['another case of the path', 'https://apps.example.com/Registry/'],
  ])('%s', (_, configured) => {
    expect(found(urlsBelow(BASE), configured)).toEqual({ configured, shown: BASE, apps: 2, isPart: false });
  });

  test('beside metadata files that are elsewhere', () => {
    const urls = ['https://lamp.example.org/versions.json', ...urlsBelow(BASE)];
    expect(found(urls, 'https://apps.example.net/')).toMatchObject({ shown: BASE, apps: 2, isPart: false });
  });
});

describe('a base URL that fits some files', () => {
  const [a = '', b = ''] = urlsBelow(BASE);

  test.each([
    ['www.', 'https://www.apps.example.com/registry/'],
    ['http', 'http://apps.example.com/registry/'],
    ['a port', 'https://apps.example.com:8443/registry/'],
  ])('and another one that differs by %s', (_, shown) => {
    const urls = [a, b.replace(BASE, shown)];
    expect(found(urls, BASE)).toEqual({ configured: BASE, shown, apps: 1, isPart: true });
  });

  test.each([
    ['another host', 'https://apps.example.net/registry/'],
    ['another path', 'https://apps.example.com/other/'],
  ])('and a copy of a file that is served at %s', (_, elsewhere) => {
    expect(found([a, b.replace(BASE, elsewhere)], BASE)).toBe(null);
  });
});

test.each<[string, string[], string[]]>([
  ['all files are below it', urlsBelow(BASE), HERE],
  ['it is written differently', urlsBelow('https://APPS.example.com:443/registry/'), HERE],
  ['metadata files are in other repositories', urlsBelow('https://raw.example.net/acme/main/'), []],
  ['one file is here, and the others are elsewhere', [`${BASE}apps/a/versions.json`, 'https://x.example/b.json'], HERE],
  ['files do not exist', urlsBelow(BASE), []],
  ['there are no apps', [], HERE],
  ['URLs are not URLs', ['apps/a/versions.json', '', 'ftp://x/apps/a/versions.json'], HERE],
])('fits: %s', (_, urls, files) => {
  expect(found(urls, BASE, files)).toBe(null);
});
