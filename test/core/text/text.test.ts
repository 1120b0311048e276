import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  grouped,
  hasUnprintable,
  isBlank,
  printable,
  redact,
  redactInPlace,
  safeJson,
  shorten,
  safeExcerpt,
} from '../../../src/core/text/text.ts';
import { runs } from '../../support/property-runs.ts';
import { expectWithin } from '../../support/timing.ts';

/** What can move a cursor, reorder or hide text, or break a line; written down again, not taken from the code. */
const DANGEROUS = [
  ...Array.from({ length: 0x20 }, (_, c) => c),
  0x7f,
  ...Array.from({ length: 0x20 }, (_, c) => 0x80 + c),
  0xad,
  0x61c,
  0x180e,
  0x200b,
  0x200c,
  0x200d,
  0x200e,
  0x200f,
  0x2028,
  0x2029,
  0x202a,
  0x202b,
  0x202c,
  0x202d,
  0x202e,
  0x2060,
  0x2061,
  0x2062,
  0x2063,
  0x2064,
  0x2066,
  0x2067,
  0x2068,
  0x2069,
  0xfeff,
  0xfff9,
  0xfffa,
  0xfffb,
  0xd800,
  0xdbff,
  0xdc00,
  0xdfff,
].map((code) => String.fromCharCode(code));
const dangerous = new RegExp(
  `[${DANGEROUS.filter((c) => c < '\ud800' || c > '\udfff')
    .map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')}]|\\p{Cs}`,
  'u',
);
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(fc.constantFrom(...DANGEROUS), fc.string({ maxLength: 3 }))).map((parts) => parts.join('')),
);

describe('printable', () => {
  test.each(DANGEROUS.map((c) => [c.charCodeAt(0).toString(16), c]))('escapes U+%s', (code, c) => {
    expect(printable(`a${c}b`)).toBe(`a\\u{${code}}b`);
    expect(hasUnprintable(`a${c}b`)).toBe(true);
  });

  test('leaves no dangerous character in any text, and plain text unchanged', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(printable(text)).not.toMatch(dangerous);
        expect(hasUnprintable(text)).toBe(printable(text) !== text);
        expect(printable(printable(text))).toBe(printable(text));
      }),
      { numRuns: runs(2000) },
    );
    for (const text of ['', 'Café 電子 😀 שלום', 'a\u0301', '<b>&amp;', '\\u{1b}', '100 %'])
      expect(printable(text)).toBe(text);
  });

  test.each([
    ['::error::x', '\\u{3a}:error::x'],
    ['  ::set-output name=a::b', '  \\u{3a}:set-output name=a::b'],
    ['\u00a0::STOP-COMMANDS::x', '\u00a0\\u{3a}:STOP-COMMANDS::x'],
    ['a ##[error]b ##[group]', 'a \\u{23}#[error]b \\u{23}#[group]'],
    ['###[add-mask]', '#\\u{23}#[add-mask]'],
    ['##vso[task.setvariable]', '\\u{23}#vso[task.setvariable]'],
    ['x ##TeamCity[buildStop]', 'x \\u{23}#TeamCity[buildStop]'],
    ['\r\u001b[0Ksection_start:1:a\r\u001b[0K', '\\u{d}\\u{1b}[0Ksection_start:1:a\\u{d}\\u{1b}[0K'],
  ])('escapes commands for CI systems: %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
    expect(printable(shown)).toBe(shown);
    const json = safeJson({ text, [text]: [text] });
    expect(json).not.toMatch(/##(\[|vso\[|teamcity\[)|^\s*::/im);
    expect(JSON.parse(json)).toEqual({ text, [text]: [text] });
  });

  test.each(['::1', '::ffff:10.0.0.1', 'a::b', 'std::error::x', '## [a](b)', '##', '# [x]', '[::1]:8080', '::'])(
    'leaves text that only resembles a command: %s',
    (text) => expect(printable(text)).toBe(text),
  );
});

describe('safeJson', () => {
  test('is parsed to the same value and contains no dangerous character except its own line feeds', () => {
    fc.assert(
      fc.property(
        fc.oneof(hostile, fc.dictionary(hostile, fc.oneof(hostile, fc.array(hostile), fc.double(), fc.constant(null)))),
        (value) => {
          const text = safeJson(value);
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
          expect(text.replaceAll('\n', '')).not.toMatch(dangerous);
          if (typeof value === 'string') expect(text).not.toContain('\n');
        },
      ),
      { numRuns: runs(2000) },
    );
  });
});

describe('shorten', () => {
  test('limits the length with an ellipsis and does not split characters', () => {
    expect(shorten('abc', 3)).toBe('abc');
    expect(shorten('abcd', 3)).toBe('ab…');
    expect(shorten('a😀b', 3)).toBe('a…');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, limit) => {
        const short = shorten(text, limit);
        expect(short.length).toBeLessThanOrEqual(limit);
        expect(short).not.toMatch(/\p{Cs}/u);
      }),
    );
  });
});

test.each([
  ['', true],
  [' \u00a0\u2003\n', true],
  ['\u200b\u2060\ufeff', true],
  ['\u3164', true],
  ['\u2800', true],
  ['\u0000', true],
  ['a', false],
  ['\u200ba', false],
  ['😀', false],
  ['.', false],
])('isBlank(%j) is %j', (text, blank) => expect(isBlank(text)).toBe(blank));

const SECRET = 'cAnArY-7f3';
test.each([0, 7, 999, 1000, 57_852, 123_456, 1_234_567, 2 ** 40, -1234])(
  'grouped(%d) separates the thousands',
  (number) => {
    expect(grouped(number)).toBe(number.toLocaleString('en-US'));
  },
);

describe('redact', () => {
  const texts = [
    `https://h.test/a?X-Amz-Signature=${SECRET}`,
    `https://h.test/a?X-Amz-Credential=${SECRET}&X-Amz-Date=1`,
    `https://h.test/a?a=b&x-amz-security-token=${SECRET}&c=d`,
    `https://h.test/a?sig=${SECRET}#top`,
    `https://h.test/a?${'n'.repeat(300)}-token=${SECRET}`,
    `https://h.test/a#access_token=${SECRET}`,
    `https://h.test/a#x&access_token=${SECRET}`,
    `https://h.test/a?v=1;sig=${SECRET}`,
    `https://h.test/a?x;sig=${SECRET}`,
    `https://h.test/a?path=https://i.test/?sig=${SECRET}`,
    `https://h.test/a?path=https%3A%2F%2Fi.test%2F%3Fsig%3D${SECRET}`,
    `https://h.test/a?file=b%3bsig=${SECRET}`,
    `https://h.test/a?token=it's${SECRET}`,
    `https://h.test/a?token=a;${SECRET}`,
    `https://h.test/a?token=a?b/${SECRET}`,
    `https://h.test/a?%73ig=${SECRET}`,
    `https://h.test/a?Expires=1&Signature=${SECRET}&Key-Pair-Id=K`,
    `https://h.test/a?Policy=${SECRET}`,
    `https://user:${SECRET}@h.test/a`,
    `https://${SECRET}@h.test/a`,
    `https://user:p@ss${SECRET}@h.test/a`,
    `https://user:p@${SECRET}:x@h.test/a`,
    `https://us'er:${SECRET}@h.test/`,
    `https://user:p w${SECRET}@h.test/`,
    `https://user:p\tw${SECRET}@h.test/`,
    `//user:${SECRET}@h.test/a`,
    `https:/user:${SECRET}@h.test/a`,
    `https:user:${SECRET}@h.test/a`,
    `https:\\\\user:${SECRET}@h.test\\a`,
    `postgres://user:${SECRET}@h.test/db`,
    `a-very-long-scheme-that-nobody-has://user:${SECRET}@h.test/`,
    `Write it as https://user:${SECRET}@h.test/ and no other way.`,
    `{"artifactUrl":"https://h.test/a?sig=${SECRET}","artifactChecksum":"x"}`,
    `https://h.test/?token=${SECRET}`,
    `Authorization: Bearer ${SECRET}`,
    `authorization: basic ${SECRET}`,
    `(https://h.test/a?sig=${SECRET})`,
    `two: https://h.test/?sig=${SECRET} https://h.test/?pwd=${SECRET}`,
  ];
  test.each(texts)('removes the secret from %j', (text) => {
    expect(redact(text)).not.toContain(SECRET);
    expect(redact(text)).toContain('REDACTED');
    expect(redact(redact(text))).toBe(redact(text));
  });

  test.each([
    ['https://h.test/?token=REDACTED: the URL is empty.'],
    ['Open https://h.test/?token=REDACTED.'],
    ['(https://h.test/?token=REDACTED), or “https://h.test/?token=REDACTED”'],
    ['Authorization: Bearer REDACTED.'],
  ])('keeps the punctuation around what is hidden already: %s', (text) => expect(redact(text)).toBe(text));

  test.each([
    'https://h.test/a/b.json',
    'https://h.test/a?v=1.2.3&ref=main&dl=1',
    'https://h.test/a?X-Amz-Date=20260101T000000Z&X-Amz-Expires=60&Expires=1&se=2026-01-01',
    'https://h.test/@scope/a',
    'https://h.test/a?',
    'https://h.test/a?x=',
    'text/html;charset=utf-8',
    'public, max-age=300',
    'The color “#112233” is not of the form #RRGGBB.',
    'Mail a@b.test',
    'C:\\apps\\a.json',
    '{"version":"1.0.0","artifactUrl":"https://h.test/a.tar.gz"}',
  ])('leaves text without secrets unchanged: %j', (text) => expect(redact(text)).toBe(text));

  test('leaves JSON around a URL valid', () => {
    const text = JSON.stringify({ url: `https://h.test/?sig=${SECRET}`, other: [1, `https://u:${SECRET}@h.test/`] });
    expect(JSON.parse(redact(text))).toEqual({
      url: 'https://h.test/?sig=REDACTED',
      other: [1, 'https://REDACTED@h.test/'],
    });
  });
});

describe('safeExcerpt', () => {
  test('is one line, without secrets, and short', () => {
    expect(safeExcerpt('a\nb\u001b[2J')).toBe(printable('a\nb\u001b[2J'));
    expect(safeExcerpt(`https://h.test/a?sig=${SECRET}`)).toBe('https://h.test/a?sig=REDACTED');
    expect(safeExcerpt('a'.repeat(500), 10)).toBe(`${'a'.repeat(9)}…`);
  });

  test('hides a password that is cut before the character that ends it', () => {
    const password = `${SECRET}${'x'.repeat(300)}`;
    expect(safeExcerpt(`https://user:${password}@h.test/`)).toBe(redact(`https://user:${password}@h.test/`));
    expect(safeExcerpt(`https://user:${password}@h.test/`)).not.toContain(SECRET.slice(0, 8));
  });
});

test('100,000 hostile characters are handled within 1.5 seconds', () => {
  expectWithin(1500, () => {
    for (const text of [
      '?'.repeat(100_000),
      '?a'.repeat(50_000),
      '&a='.repeat(33_000),
      `?${'a'.repeat(100_000)}`,
      '/'.repeat(100_000),
      `${'/'.repeat(100_000)}@`,
      '//a'.repeat(33_000),
      'http:'.repeat(20_000),
      `${'http:'.repeat(20_000)}@`,
      `@${'http:'.repeat(20_000)}`,
      'a.'.repeat(50_000) + '://',
      `//${'@'.repeat(100_000)}`,
      'bearer '.repeat(14_000),
      `bearer ${' '.repeat(100_000)}`,
      '\ud800'.repeat(100_000),
      '\u202e'.repeat(100_000),
      ' '.repeat(100_000),
      '::'.repeat(50_000),
      `::${'a'.repeat(100_000)}`,
      '##'.repeat(50_000),
      `${' '.repeat(50_000)}::x`,
      ' : '.repeat(30_000),
    ]) {
      redact(text);
      printable(text);
      hasUnprintable(text);
      isBlank(text);
      safeJson(text);
      shorten(text);
      safeExcerpt(text);
    }
  });
});

describe('redactInPlace', () => {
  test.each([
    ['https://h/x?sig=abcdefghijkl&v=1', 'https://h/x?sig=REDACTED----&v=1'],
    ['https://h/x?sig=abc', 'https://h/x?sig=1--'],
    ['?sig=aaaaaaaaaa&sig=bbbbbbbbbb&sig=aaaaaaaaaa', '?sig=REDACTED--&sig=REDACTED2-&sig=REDACTED--'],
    ['https://joe:open sesame@h/', 'https://REDACTED-------@h/'],
    ['Bearer abcdefghijkl', 'Bearer REDACTED----'],
    ['{"u":"https://h/?sig=abc\\/def\\"ghi"}', '{"u":"https://h/?sig=REDA\\/CTE\\"ghi"}'],
    ['"?sig=\\u0061\\u0026b=secretsecret"', '"?sig=REDACT\\u0026ED------------"'],
    ['nothing', 'nothing'],
  ])('preserves the length of %s', (text, expected) => {
    expect(redactInPlace(text)).toHaveLength(text.length);
    if (!text.includes('\\')) expect(redactInPlace(text)).toBe(expected);
    expect(redact(redactInPlace(text))).toBe(redact(text));
  });

  test('leaves JSON valid', () => {
    for (const value of ['https://h/?sig=a"b\\c\u0000d', 'https://h/?sig=ends\\', '?x=\u2028é"']) {
      const text = JSON.stringify({ value });
      expect(Object.keys(JSON.parse(redactInPlace(text)) as object)).toEqual(['value']);
    }
  });
});
