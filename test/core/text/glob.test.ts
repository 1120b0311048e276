import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesGlob } from '../../../src/core/text/glob.ts';
import { expectWithin } from '../../support/timing.ts';

describe('a glob', () => {
  test.each([
    ['clock', 'clock'],
    ['*', ''],
    ['*', 'clock'],
    ['app-*', 'app-'],
    ['app-*', 'app-7'],
    ['*-legacy', 'clock-legacy'],
    ['a*b*c', 'aXbYc'],
    ['**', ''],
    ['**', 'https://apps.example.com/a/b?c=d/e'],
    ['https://*/registry.json', 'https://apps.example.com/registry.json'],
    ['https://apps.example.com/apps/*/icon.svg', 'https://apps.example.com/apps/clock/icon.svg'],
    ['https://apps.example.com/**', 'https://apps.example.com/apps/clock/icon.svg'],
    ['https://apps.example.com/**/icon.svg', 'https://apps.example.com/apps/clock/icon.svg'],
    ['https://apps.example.com/**/icon.svg', 'https://apps.example.com/icon.svg'],
    ['https://**.tar.gz', 'https://apps.example.com/a/1.0.0.tar.gz'],
    ['a?b', 'a?b'],
    ['[a]{b}(c)+.$^|\\', '[a]{b}(c)+.$^|\\'],
    ['é*😀', 'éx😀'],
  ])('%s matches %s', (glob, text) => expect(matchesGlob(glob, text)).toBe(true));

  test.each([
    ['clock', 'clocks'],
    ['clock', 'Clock'],
    ['', 'a'],
    ['a', ''],
    ['*', 'a/b'],
    ['app-*', 'my-app-7'],
    ['https://apps.example.com/*', 'https://apps.example.com/apps/clock'],
    ['https://apps.example.com/apps/*/icon.svg', 'https://apps.example.com/apps/a/b/icon.svg'],
    ['https://apps.example.com/**', 'https://apps.example.com.evil.example/a'],
    ['https://apps.example.com/**/icon.svg', 'https://apps.example.com/apps/icon.png'],
    ['a**/b', 'ab'],
    ['a?b', 'axb'],
    ['a.c', 'abc'],
  ])('%s does not match %s', (glob, text) => expect(matchesGlob(glob, text)).toBe(false));

  test('a text without asterisks matches itself only', () => {
    const plain = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('*', '+'));
    fc.assert(fc.property(plain, plain, (glob, text) => matchesGlob(glob, text) === (glob === text)));
  });

  test('is as a regular expression', () => {
    const part = fc.constantFrom('a', 'b', '/', '*', '**');
    const text = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 8 }).map((list) => list.join(''));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), text, (parts, given) => {
        const glob = parts.join('');
        const source = glob
          .replace(/\*+/g, (stars) => (stars.length > 1 ? '§' : '[^/]*'))
          .replace(/\/§(?=\/)/g, '(?:/.*)?')
          .replaceAll('§', '.*');
        expect(matchesGlob(glob, given)).toBe(new RegExp(`^${source}$`).test(given));
      }),
    );
  });

  test('takes no exponential time', () => {
    expectWithin(2000, () => {
      expect(matchesGlob(`${'**a'.repeat(40)}b`, 'a'.repeat(4000))).toBe(false);
    });
  });
});
