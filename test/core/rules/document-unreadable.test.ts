import { expect, test } from 'vitest';
import { documentUnreadable } from '../../../src/core/rules/document-unreadable.ts';
import { documentFacts } from '../../support/core-facts.ts';
import { ruleTable } from '../../support/rule-table.ts';

const bytes = (...list: number[]): Uint8Array => Uint8Array.from(list);
const utf16 = (text: string, order: 'le' | 'be', mark: boolean): Uint8Array => {
  const units = [...(mark ? [0xfeff] : []), ...Array.from(text, (c) => c.charCodeAt(0))];
  return bytes(...units.flatMap((unit) => (order === 'le' ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255])));
};

// The causes of bad syntax, one by one, stand in test/core/json.test.ts.
ruleTable(documentUnreadable, {
  clean: [
    ['a manifest', documentFacts('{"apps":{}}')],
    ['null, which is JSON', documentFacts('null')],
    ['CRLF, tabs, no final newline', documentFacts('{\r\n\t"apps": {\r\n\t}\r\n}')],
    ['U+2028 and U+2029 raw inside a string', documentFacts('{"a":"\u2028\u2029"}')],
    ['a surrogate pair as two escapes', documentFacts('{"a":"\\ud83d\\ude00\\uD83D\\uDE00"}')],
    ['an escaped backslash in front of what looks like half a pair', documentFacts('{"a":"\\\\ud800"}')],
    ['a byte order mark, which is another rule’s', documentFacts('\ufeff{}')],
    ['numbers that no double can hold', documentFacts('{"a":9007199254740993,"b":1e999,"c":-0,"d":1.0}')],
    ['too deep, which is another rule’s', documentFacts('['.repeat(1000))],
    ['astral and combining characters', documentFacts('{"👩‍👩‍👧":"é"}')],
  ],
  faulty: [
    ['no bytes', documentFacts(''), { cause: 'empty', offset: 0 }],
    ['white space alone', documentFacts(' \n\t'), { cause: 'empty', message: 'nothing but white space' }],
    ['a byte order mark alone', documentFacts('\ufeff'), { cause: 'empty' }],
    [
      'a web page',
      documentFacts('<!DOCTYPE html><title>Sign in</title>'),
      { cause: 'html-page', message: 'Sign in', evidence: { title: 'Sign in' } },
    ],
    ['a web page behind a comment', documentFacts('<!-- cached -->\n<html><body>'), { cause: 'html-page' }],
    ['a bare heading', documentFacts('<h1>404 Not Found</h1>'), { cause: 'html-page' }],
    [
      'a web page whose scripts have more brackets than any document',
      documentFacts(`<html>${'{['.repeat(500)}`),
      { cause: 'html-page' },
    ],
    [
      'an object store’s refusal',
      documentFacts('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'),
      { cause: 'xml-error', message: 'AccessDenied', evidence: { code: 'AccessDenied' } },
    ],
    [
      'a Git LFS pointer',
      documentFacts('version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n'),
      { cause: 'git-lfs-pointer', advice: 'git lfs pull' },
    ],
    ...['Not Found', '404: Not Found', '404 page not found\n', '\ufeffZugriff verweigert.'].map(
      (text) =>
        [`a message: ${text}`, documentFacts(text), { cause: 'text-message', message: 'a line of text' }] as const,
    ),
    [
      'byte FF in a name',
      documentFacts(bytes(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)),
      { cause: 'not-utf8', offset: 2, message: 'Byte 2 (0xff)', evidence: { byteOffset: 2 } },
    ],
    [
      'a surrogate in UTF-8 clothing',
      documentFacts(bytes(0x22, 0xed, 0xa0, 0x80, 0x22)),
      { cause: 'not-utf8', offset: 1 },
    ],
    ['an overlong slash', documentFacts(bytes(0x22, 0xc0, 0xaf, 0x22)), { cause: 'not-utf8', offset: 1 }],
    ['beyond U+10FFFF', documentFacts(bytes(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22)), { cause: 'not-utf8', offset: 1 }],
    ['a character cut in half at the end', documentFacts(bytes(0x22, 0xe2, 0x82)), { cause: 'not-utf8', offset: 1 }],
    [
      'UTF-16, little endian',
      documentFacts(utf16('{"apps":{}}', 'le', true)),
      { cause: 'not-utf8', message: 'UTF-16' },
    ],
    ['UTF-16, big endian', documentFacts(utf16('{"apps":{}}', 'be', true)), { cause: 'not-utf8', message: 'UTF-16' }],
    [
      'UTF-16 without a mark, which is valid UTF-8',
      documentFacts(utf16('{"apps":{}}', 'le', false)),
      { cause: 'not-utf8', message: 'UTF-16' },
    ],
    [
      'UTF-16 without a mark, big endian',
      documentFacts(utf16('{"apps":{}}', 'be', false)),
      { cause: 'not-utf8', message: 'UTF-16' },
    ],
    ['gzip bytes', documentFacts(bytes(0x1f, 0x8b, 8, 0, 0)), { cause: 'gzip', advice: 'Content-Encoding' }],
    ['half a surrogate pair', documentFacts('{"name":"\\ud800"}'), { cause: 'lone-surrogate', offset: 8 }],
    ['a pair the wrong way round', documentFacts('["\\udc00\\ud800"]'), { cause: 'lone-surrogate', offset: 1 }],
    ['half a pair in a name', documentFacts('{"\\uDEAD":1}'), { cause: 'lone-surrogate', offset: 1 }],
    ['half a pair behind a whole one', documentFacts('["\\ud83d\\ude00\\ude00"]'), { cause: 'lone-surrogate' }],
    ['half a pair behind an escaped backslash', documentFacts('["\\\\\\ud800"]'), { cause: 'lone-surrogate' }],
    ['an escape that lost its end', documentFacts('["\\ud83d\\ude0"]'), { cause: 'bad-escape' }],
  ],
});

test.each(['undefined', 'true false', 'name: "x"', '12 13', 'a\nb c', 'one, two: {', '// a comment here'])(
  'no message of a host: %j',
  (text) => {
    const found = documentUnreadable.check(documentFacts(text));
    expect(found).toMatchObject({ cause: expect.not.stringMatching(/^text-message$/) });
  },
);
