import { domainToASCII } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isValidALabel, parseUrl } from '../../../src/core/url/url.ts';
import { urlError } from '../../../src/core/url/url-error.ts';
import { runs } from '../../support/property-runs.ts';

describe('isValidALabel', () => {
  test.each(['xn--bcher-kva', 'xn--fa-hia', 'xn--n3h', 'xn--ls8h', 'xn--wgv71a119e', 'xn--p1ai', 'xn--tda', 'xn--1ch'])(
    'accepts %s',
    (label) => expect(isValidALabel(label)).toBe(true),
  );

  test.each([
    ['nothing behind the prefix', 'xn--'],
    ['a number that is not complete', 'xn--zz'],
    ['a number that is too large', 'xn--99999999999999'],
    ['a code point that is too large', 'xn--zzzzzzz99999'],
    ['ASCII text', 'xn--abc-'],
    ['another form of the same letters', 'xn--u-ccb'],
    ['a hyphen only', 'xn---'],
    ['an invalid digit', 'xn--a_b'],
  ])('rejects %s: %s', (_, label) => {
    expect(isValidALabel(label)).toBe(false);
    expect(parseUrl(`https://${label}.example/`)).toBeNull();
    expect(urlError(`https://a.${label}/x`)?.cause).toBe('unparsable');
  });

  test('accepts labels without the prefix', () => {
    for (const label of ['', 'a', 'ab--c', 'a-xn--b', 'xn-']) expect(isValidALabel(label)).toBe(true);
  });

  test('accepts each A-label that the runtime generates from a Unicode label', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'abcz09-äöüßéñığşœ例えテスト中文日本αβγδжщ☃😀𝄞'),
      maxLength: 20,
    });
    fc.assert(
      fc.property(letters, (text) => {
        for (const label of domainToASCII(text).split('.')) expect(isValidALabel(label)).toBe(true);
      }),
      { numRuns: runs(3000) },
    );
  });
});
