import { mkdirSync, symlinkSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asBase, inferBase, isWithin, localPath, staysInside } from '../../../src/observe/workspace/places.ts';
import { folder } from '../../support/folders.ts';

const BASE = 'https://apps.example.com/reg/';

describe('the local path of a URL', () => {
  test.each([
    ['apps/a/versions.json', 'apps/a/versions.json'],
    ['a.json?sig=1', 'a.json'],
    ['a.json#x', 'a.json'],
    ['a.json?x\n/../y', 'a.json'],
    ['a%20b.json', 'a b.json'],
    ['%C3%A9.json', 'é.json'],
    ['é.json', 'é.json'],
    ['a%2Fb.json', 'a/b.json'],
    ['a..b/...c', 'a..b/...c'],
    ['.well-known/a.json', '.well-known/a.json'],
    ['a%252e%252e/b', 'a%2e%2e/b'],
    ['__proto__/constructor', '__proto__/constructor'],
  ])('for %s is %s', (rest, path) => expect(localPath(BASE + rest, BASE)).toBe(path));

  test.each([
    '',
    '?x',
    '#x',
    '/',
    'apps/',
    '..',
    '../x',
    'a/../x',
    'a/..',
    './x',
    'a/./x',
    'a//x',
    '/etc/passwd',
    '%2e%2e/x',
    '%2E%2E%2Fx',
    'a/%2e%2e/x',
    '..%2fx',
    'a%2f..%2f..%2fx',
    '%2fetc/passwd',
    'a%00.json',
    '%00',
    'a\\x',
    'a%5cx',
    '..%5c..%5cx',
    'C:/x',
    'c%3a/x',
    '%',
    '%zz',
    '%ff.json',
    '%c0%ae%c0%ae/x',
  ])('does not exist for %j', (rest) => expect(localPath(BASE + rest, BASE)).toBe(null));

  test.each([
    'https://apps.example.com/x',
    'https://apps.example.com/register/x',
    'https://apps.example.com.evil.test/reg/x',
    'http://apps.example.com/reg/x',
    '/reg/x',
    'x',
    '',
  ])('does not exist outside the base URL: %j', (url) => expect(localPath(url, BASE)).toBe(null));

  // Clients request the same address for each of these forms.
  test.each([
    ['HTTPS://apps.example.com/reg/x', BASE],
    ['https://APPS.Example.com/reg/x', BASE],
    ['https://apps.example.com:443/reg/x', BASE],
    ['https://b\u00fccher.example/reg/x?v=1', 'https://b\u00fccher.example/reg'],
    ['https://b\u00fccher.example/reg/x', 'https://xn--bcher-kva.example/reg'],
    ['https://xn--bcher-kva.example/reg/x', 'https://b\u00fccher.example/reg'],
    ['https://apps.example.com/b\u00fcro/x', 'https://apps.example.com/b\u00fcro/'],
    ['https://apps.example.com/b%C3%BCro/x', 'https://apps.example.com/b\u00fcro/'],
    ['https://apps.example.com/a b/x', 'https://apps.example.com/a%20b'],
  ])('for %s is x under the base %s', (url, base) => expect(localPath(url, asBase(base))).toBe('x'));

  test.each([
    'HTTPS://apps.example.com/reg/../x',
    'HTTPS://apps.example.com/reg/./x',
    'HTTPS://apps.example.com/reg/%2e%2E/reg/x',
    'HTTPS://apps.example.com/reg\\x',
    'HTTPS://apps.example.com/reg/a//x',
    'HTTPS://user@apps.example.com/reg/x',
    'HTTPS://apps.example.com:8443/reg/x',
    'HTTPS://apps.example.com/reg/',
  ])('does not exist for %s', (url) => expect(localPath(url, BASE)).toBe(null));

  test('does not exist without a base URL', () => expect(localPath(`${BASE}a`, null)).toBe(null));

  test('is inside the root for any URL', () => {
    const pieces = fc.constantFrom(
      '..',
      '.',
      '/',
      '%2e',
      '%2E%2e',
      '%2f',
      '%5c',
      '\\',
      '%00',
      'a',
      'b.json',
      '%',
      '%25',
      ':',
      'C:',
      '~',
      '?',
      '#',
      ' ',
    );
    fc.assert(
      fc.property(
        fc.constantFrom(BASE, BASE.replace('https', 'HTTPS')),
        fc.array(pieces, { maxLength: 8 }),
        (start, parts) => {
          const path = localPath(start + parts.join(''), BASE);
          if (path === null) return;
          expect(path).not.toMatch(/^\/|^[a-z]:|\\|\u0000/i);
          expect(path.split('/')).not.toContain('..');
          expect(path.split('/')).not.toContain('');
          expect(join('/root', path).startsWith('/root/') || process.platform === 'win32').toBe(true);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

test.each([
  ['https://apps.example.com', 'https://apps.example.com/'],
  ['https://apps.example.com/reg', 'https://apps.example.com/reg/'],
  ['HTTPS://Apps.Example.com:443/reg/', 'https://apps.example.com/reg/'],
  ['nonsense', 'nonsense/'],
])('the base URL of %s is %s', (text, base) => expect(asBase(text)).toBe(base));

test.skipIf(process.platform === 'win32')(
  'symbolic links are resolved before a path is considered inside the root',
  () => {
    const outside = folder({ 'secret.json': '{}', 'd/x.json': '{}' });
    const root = folder({ 'a.json': '{}', 'd/b.json': '{}' });
    symlinkSync(join(outside, 'secret.json'), join(root, 'link.json'));
    symlinkSync(join(outside, 'd'), join(root, 'out'));
    symlinkSync('a.json', join(root, 'inner.json'));
    symlinkSync('nowhere', join(root, 'dangling'));
    mkdirSync(join(root, '..x'));
    expect(
      ['a.json', 'd/b.json', 'inner.json', 'missing.json', 'dangling', '..x'].map((path) => staysInside(root, path)),
    ).toEqual([true, true, true, true, true, true]);
    expect(['link.json', 'out/x.json', 'out'].map((path) => staysInside(root, path))).toEqual([false, false, false]);
  },
);

function has(...paths: string[]): (path: string) => boolean {
  return (path) => paths.includes(path);
}

describe('the inferred base URL', () => {
  test('is the common prefix of the existing paths', () => {
    expect(
      inferBase(
        ['https://x.test/reg/apps/a/v.json', 'https://x.test/reg/apps/b/v.json'],
        has('apps/a/v.json', 'apps/b/v.json'),
      ),
    ).toBe('https://x.test/reg/');
    expect(inferBase(['https://x.test/apps/a/v.json?x'], has('apps/a/v.json'))).toBe('https://x.test/');
  });

  test('is the most frequent prefix', () => {
    expect(
      inferBase(
        ['https://y.test/apps/a/v.json', 'https://x.test/apps/b/v.json', 'https://x.test/apps/c/v.json'],
        has('apps/a/v.json', 'apps/b/v.json', 'apps/c/v.json'),
      ),
    ).toBe('https://x.test/');
  });

  test('is null without existing files, by name alone, or without URLs', () => {
    expect(inferBase(['https://x.test/apps/a/v.json'], has())).toBe(null);
    expect(inferBase(['https://x.test/apps/a/v.json'], has('v.json'))).toBe(null);
    expect(inferBase(['apps/a/v.json', '', 'https://x.test'], has('apps/a/v.json'))).toBe(null);
    expect(inferBase([], has('a'))).toBe(null);
  });

  test('uses the longest existing path', () => {
    expect(inferBase(['https://x.test/a/b/c.json'], has('b/c.json', 'a/b/c.json'))).toBe('https://x.test/');
  });
});

test.each([
  { path: win32, root: 'C:\\registry', file: 'C:\\registry', expected: true },
  { path: win32, root: 'C:\\registry', file: 'c:\\Registry\\apps', expected: true },
  { path: win32, root: 'C:\\registry', file: 'C:\\registry\\..apps', expected: true },
  { path: win32, root: 'C:\\registry', file: 'C:\\registry2', expected: false },
  { path: win32, root: 'C:\\registry', file: 'C:\\', expected: false },
  { path: win32, root: 'C:\\registry', file: 'D:\\registry\\apps', expected: false },
  { path: win32, root: 'C:\\registry', file: '\\\\server\\share\\apps', expected: false },
  { path: posix, root: '/registry', file: '/registry/apps', expected: true },
  { path: posix, root: '/registry', file: '/registry2', expected: false },
  { path: posix, root: '/registry', file: '/', expected: false },
])('isWithin compares paths: %#', ({ path, root, file, expected }) =>
  expect(isWithin(root, file, path)).toBe(expected),
);
