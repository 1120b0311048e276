import { domainToASCII } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isValidALabel } from '../../../src/core/http/punycode.ts';
import { parseUrl } from '../../../src/core/http/url.ts';
import { urlError } from '../../../src/core/http/url-error.ts';
import { runs } from '../../support/property-runs.ts';

describe('labels of host names in Punycode', () => {
  test.each(['xn--bcher-kva', 'xn--fa-hia', 'xn--n3h', 'xn--ls8h', 'xn--wgv71a119e', 'xn--p1ai', 'xn--tda', 'xn--1ch'])(
    '%s is one',
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
    ['a digit that is none', 'xn--a_b'],
  ])('%s: %s is not one', (_, label) => {
    expect(isValidALabel(label)).toBe(false);
    expect(parseUrl(`https://${label}.example/`)).toBeNull();
    expect(urlError(`https://a.${label}/x`)?.cause).toBe('unparsable');
  });

  test('labels without the prefix are not looked at', () => {
    for (const label of ['', 'a', 'ab--c', 'a-xn--b', 'xn-']) expect(isValidALabel(label)).toBe(true);
  });

  test('each A-label that the runtime makes of a Unicode label is valid', () => {
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
