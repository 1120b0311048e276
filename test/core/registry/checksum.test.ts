import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checksumError, digestOf, isChecksum } from '../../../src/core/registry/checksum.ts';
import { digest } from '../../support/core-facts.ts';
import { runs } from '../../support/property-runs.ts';
import { expectWithin } from '../../support/timing.ts';

const hex = digest(1);
const validChecksum = `sha256:${hex}`;
const base64 = Buffer.from(hex, 'hex').toString('base64');

test.each([
  validChecksum,
  `sha256:${'ab'.repeat(32)}`,
  `sha256:${'0'.repeat(64)}`,
  `sha256:${'1234567890'.repeat(7).slice(0, 64)}`,
])('a checksum is well-formed: %s', (text) => {
  expect(isChecksum(text)).toBe(true);
  expect(checksumError(text)).toBe(null);
  expect(digestOf(text)).toBe(text.slice(7));
});

const NEARLY_VALID: [name: string, text: string, cause: string, repaired: string | null][] = [
  ['upper case', `sha256:${hex.toUpperCase()}`, 'uppercase', validChecksum],
  ['one capital', `sha256:${hex.replace(/[a-f]/, (c) => c.toUpperCase())}`, 'uppercase', validChecksum],
  ['a space in front', ` ${validChecksum}`, 'whitespace', validChecksum],
  ['a space behind', `${validChecksum} `, 'whitespace', validChecksum],
  ['a line feed behind', `${validChecksum}\n`, 'whitespace', validChecksum],
  ['a carriage return behind', `${validChecksum}\r`, 'whitespace', validChecksum],
  ['a space behind the colon', `sha256: ${hex}`, 'whitespace', validChecksum],
  ['a space inside', `${validChecksum.slice(0, 30)} ${validChecksum.slice(30)}`, 'whitespace', validChecksum],
  [
    'a zero-width space inside',
    `${validChecksum.slice(0, 30)}\u200b${validChecksum.slice(30)}`,
    'whitespace',
    validChecksum,
  ],
  ['a byte order mark in front', `\ufeff${validChecksum}`, 'whitespace', validChecksum],
  ['upper case and a line feed', `sha256:${hex.toUpperCase()}\n`, 'whitespace', validChecksum],
  ['no prefix', hex, 'no-prefix', validChecksum],
  ['no prefix, upper case', hex.toUpperCase(), 'no-prefix', validChecksum],
  ['a line of sha256sum', `${hex}  app.tar.gz`, 'no-prefix', validChecksum],
  ['a line of sha256sum, binary', `${hex} *app.tar.gz\n`, 'no-prefix', validChecksum],
  ['SHA256:', `SHA256:${hex}`, 'wrong-prefix', validChecksum],
  ['sha-256:', `sha-256:${hex}`, 'wrong-prefix', validChecksum],
  ['sha256-', `sha256-${hex}`, 'wrong-prefix', validChecksum],
  ['sha256=', `sha256=${hex}`, 'wrong-prefix', validChecksum],
  ['SHA-256 =', `SHA-256 = ${hex.toUpperCase()}`, 'wrong-prefix', validChecksum],
  ['subresource integrity', `sha256-${base64}`, 'sri-base64', validChecksum],
  ['subresource integrity without padding', `sha256-${base64.replace('=', '')}`, 'sri-base64', validChecksum],
  ['base64 behind the prefix', `sha256:${base64}`, 'sri-base64', validChecksum],
  ['base64 for URLs', `sha256-${Buffer.from(hex, 'hex').toString('base64url')}`, 'sri-base64', validChecksum],
  [
    'subresource integrity of another algorithm',
    `sha384-${Buffer.alloc(48, 7).toString('base64')}`,
    'sri-base64',
    null,
  ],
  ['SHA-1 by name', `sha1:${hex.slice(0, 40)}`, 'sha1', null],
  ['SHA-1 by length', hex.slice(0, 40), 'sha1', null],
  ['SHA-1 behind our prefix', `sha256:${hex.slice(0, 40)}`, 'sha1', null],
  ['MD5 by name', `md5:${hex.slice(0, 32)}`, 'md5', null],
  ['MD5 by length', hex.slice(0, 32), 'md5', null],
  ['MD5 with dashes', `MD5-${hex.slice(0, 32)}`, 'md5', null],
  ['SHA-512 by name', `sha512:${hex}${hex}`, 'sha512', null],
  ['SHA-512 by length', hex + hex, 'sha512', null],
  ['SHA-512 named with 64 digits', `sha512:${hex}`, 'sha512', null],
  ['BLAKE', `blake3:${hex}`, 'blake3', null],
  ['63 digits', validChecksum.slice(0, -1), 'wrong-length', null],
  ['65 digits', `${validChecksum}0`, 'wrong-length', null],
  ['43 digits are not base64', `sha256:${hex.slice(0, 43)}`, 'wrong-length', null],
  ['43 digits behind a hyphen', `sha256-${'a'.repeat(43)}`, 'not-hexadecimal', null],
  ['nothing behind the prefix', 'sha256:', 'placeholder', null],
  ['nothing', '', 'placeholder', null],
  ['spaces', '  ', 'placeholder', null],
  ['unknown', 'unknown', 'placeholder', null],
  ['sha256:unknown', 'sha256:unknown', 'placeholder', null],
  ['sha256:TODO', 'sha256:TODO', 'placeholder', null],
  ['null', 'null', 'placeholder', null],
  ['xs', 'sha256:xxxxxxxx', 'placeholder', null],
  ['dots', 'sha256:...', 'placeholder', null],
  ['angle brackets', 'sha256:<checksum>', 'placeholder', null],
  ['a shell variable', 'sha256:${CHECKSUM}', 'placeholder', null],
  ['a template', '{{ checksum }}', 'placeholder', null],
  ['a digit beyond f', `${validChecksum.slice(0, -1)}g`, 'not-hexadecimal', null],
  ['full-width digits', `sha256:${'１'.repeat(64)}`, 'not-hexadecimal', null],
  ['a zero-width character for a digit', `${validChecksum.slice(0, -1)}\u200b`, 'not-hexadecimal', null],
  ['words', 'see release notes', 'not-hexadecimal', null],
  ['two prefixes', `sha256:sha256:${hex}`, 'not-hexadecimal', null],
];

describe('malformed checksums', () => {
  test.each(NEARLY_VALID)('have a cause and a correction if possible: %s', (_, text, cause, repaired) => {
    expect(isChecksum(text)).toBe(false);
    expect(digestOf(text)).toBe(null);
    expect(checksumError(text)).toMatchObject({ cause, repaired, message: expect.stringMatching(/\.$/) });
  });
});

test('any spelling of a real digest is corrected to that digest', () => {
  const write = [
    (bytes: Buffer) => bytes.toString('hex'),
    (bytes: Buffer) => `sha256:${bytes.toString('hex').toUpperCase()}`,
    (bytes: Buffer) => `sha256-${bytes.toString('base64')}`,
    (bytes: Buffer) => `SHA-256=${bytes.toString('hex')}`,
    (bytes: Buffer) => `${bytes.toString('hex')}  -\n`,
  ];
  fc.assert(
    fc.property(fc.uint8Array(), fc.constantFrom(...write), (data, spell) => {
      const bytes = createHash('sha256').update(data).digest();
      const fault = checksumError(spell(bytes));
      // A digest of decimal digits alone has no upper case; it would be well-formed.
      expect(fault === null ? spell(bytes) : fault.repaired).toBe(`sha256:${bytes.toString('hex')}`);
    }),
  );
});

test('any text is well-formed or has an error, and corrections are well-formed', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.stringMatching(/^(sha256[:=-])?[0-9a-fA-FgG+/=]{30,66}$/),
        fc.string({ unit: 'binary' }),
      ),
      (text) => {
        const fault = checksumError(text);
        expect(fault === null).toBe(/^sha256:[0-9a-f]{64}$/.test(text) && text.length === 71);
        if (fault?.repaired) expect(isChecksum(fault.repaired)).toBe(true);
      },
    ),
    { numRuns: runs(2000) },
  );
});

test('100,000 hostile characters are handled within half a second', () => {
  expectWithin(500, () => {
    for (const text of [
      '-'.repeat(100_000),
      'a-'.repeat(50_000),
      `sha256:${' '.repeat(100_000)}x`,
      'a'.repeat(100_000),
      `${'-'.repeat(50_000)}${'a'.repeat(50_000)}!`,
      `{{${'}'.repeat(100_000)}!`,
      `<${'<'.repeat(100_000)}`,
      'x'.repeat(99_999).concat('y'),
    ])
      checksumError(text);
  });
});
