import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { documentUnreadable } from '../../../../src/core/rules/documents/document-unreadable.ts';
import { documentFacts } from '../../../support/core-facts.ts';
import { hop, probe, web } from '../../../support/probes.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const bytes = (...list: number[]): Uint8Array => Uint8Array.from(list);
const utf32 = (text: string, order: 'le' | 'be', mark: boolean): Uint8Array => {
  const points = [...(mark ? [0xfeff] : []), ...Array.from(text, (c) => c.codePointAt(0)!)];
  const view = new DataView(new ArrayBuffer(points.length * 4));
  for (const [i, point] of points.entries()) view.setUint32(i * 4, point, order === 'le');
  return new Uint8Array(view.buffer);
};
const utf16 = (text: string, order: 'le' | 'be', mark: boolean): Uint8Array => {
  const units = [...(mark ? [0xfeff] : []), ...Array.from(text, (c) => c.charCodeAt(0))];
  return bytes(...units.flatMap((unit) => (order === 'le' ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255])));
};

const PHP = [
  '<br />\n<b>Warning</b>:  Undefined variable $x in <b>/srv/a.php</b> on line <b>3</b><br />\n',
  "<br />\n<font size='1'><table class='xdebug-error xe-warning' dir='ltr' border='1'>\n<tr><th align='left' bgcolor='#f57900' colspan=\"5\"><span style='background-color: #cc0000; color: #fce94f;'>( ! )</span> Warning: Undefined variable $x in /srv/a.php on line <i>3</i></th></tr>\n</table></font>\n",
  '\nWarning: Undefined array key "a" in /srv/a.php on line 3\n',
  'Deprecated: strftime() is deprecated in /srv/a.php on line 3',
  'PHP Notice:  Undefined index: a in /srv/a.php on line 3\n',
  '[22-Nov-2026 10:00:00 UTC] PHP Fatal error:  Uncaught Error: x in /srv/a.php:3\n',
];

const PHP_MESSAGE = { cause: 'program-message', message: 'begins with a PHP', advice: 'display_errors' };

// The causes of bad syntax, one by one, stand in test/core/json/json.test.ts.
/** A response with bytes that are labelled with a coding. */
function withCoding(bytes: Uint8Array, coding: string) {
  const whole = documentFacts(bytes);
  return { ...whole, facts: { ...whole.facts, web: web(probe(hop({ 'content-encoding': coding }))) } };
}

/** YAML, and a part of the message. */
const YAML: readonly (readonly [text: string, message: string])[] = [
  ['apiVersion: v1\nentries:\n  echo:\n  - name: echo\n    version: 1.0.0\n', 'the index of a Helm repository'],
  ['# A comment\r\napps:\r\n  echo:\r\n    name: Echo\r\n'.slice(13), 'This is YAML'],
  ['---\napps: {}\nversions: []\n', 'This is YAML'],
];

ruleTable(documentUnreadable, {
  clean: [
    ['a manifest', documentFacts('{"apps":{}}')],
    ['null, which is JSON', documentFacts('null')],
    ['CRLF, tabs, no final newline', documentFacts('{\r\n\t"apps": {\r\n\t}\r\n}')],
    ['U+2028 and U+2029 raw inside a string', documentFacts('{"a":"\u2028\u2029"}')],
    ['a surrogate pair as two escapes', documentFacts('{"a":"\\ud83d\\ude00\\uD83D\\uDE00"}')],
    ['an escaped backslash in front of what looks like half a pair', documentFacts('{"a":"\\\\ud800"}')],
    ['a byte order mark, which another rule reports', documentFacts('\ufeff{}')],
    ['numbers that no double can hold', documentFacts('{"a":9007199254740993,"b":1e999,"c":-0,"d":1.0}')],
    ['too deep, which another rule reports', documentFacts('['.repeat(1000))],
    ['astral and combining characters', documentFacts('{"👩‍👩‍👧":"é"}')],
  ],
  faulty: [
    ...['compress', 'dcb', 'dcz', 'snappy'].map(
      (coding) =>
        [
          `a Content-Encoding that clients do not decode: ${coding}`,
          withCoding(Buffer.from([0x1f, 0x9d, 0x90, 0x7b, 0x01, 0x02, 0xff, 0xfe]), coding),
          {
            cause: 'not-utf8',
            message: `its Content-Encoding (${coding}) is not supported`,
            advice: 'Content-Encoding: gzip',
          },
        ] as const,
    ),
    [
      'bytes that are not UTF-8 in a coding that clients decode',
      withCoding(Buffer.from('{"a":"\xff"}', 'latin1'), 'br'),
      { cause: 'not-utf8', message: 'is not valid UTF-8' },
    ],
    [
      'gzip behind other bytes',
      documentFacts(Buffer.concat([Buffer.from('\xff12345', 'latin1'), gzipSync('{}')])),
      { cause: 'gzip', message: 'gzip begins at byte 7', evidence: { byteOffset: 6 } },
    ],
    ...YAML.map(([text, message]) => [`YAML: ${text}`, documentFacts(text), { cause: 'yaml', message }] as const),
    ['no bytes', documentFacts(''), { cause: 'empty', offset: 0 }],
    ['white space alone', documentFacts(' \n\t'), { cause: 'empty', message: 'only white space' }],
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
      'a surrogate encoded as UTF-8',
      documentFacts(bytes(0x22, 0xed, 0xa0, 0x80, 0x22)),
      { cause: 'not-utf8', offset: 1 },
    ],
    [
      'JSON compressed with br, without a label',
      documentFacts(
        new Uint8Array(brotliCompressSync('{"apps":{"app-a":{"name":"App A","description":"Does a thing."}}}')),
      ),
      {
        cause: 'not-utf8',
        message: 'binary data, not JSON text',
        advice: 'Content-Encoding',
      },
    ],
    [
      'JSON compressed with deflate, without a label',
      documentFacts(
        new Uint8Array(deflateRawSync('{"apps":{"app-a":{"name":"App A","description":"Does a thing."}}}')),
      ),
      { cause: 'not-utf8', message: 'binary data, not JSON text', advice: 'Content-Encoding' },
    ],
    [
      'Latin-1 with lines and tabs is text',
      documentFacts(bytes(0x7b, 0x0d, 0x0a, 0x09, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x0d, 0x0a, 0x7d)),
      { cause: 'not-utf8', message: 'Byte 5 (0xe9)' },
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
    ...(['le', 'be'] as const).flatMap((order) =>
      [true, false].flatMap((mark) =>
        ['{"apps":{}}', '\n{"name":"Zoë 👋"}'].map(
          (text) =>
            [
              `UTF-32 ${order}, ${mark ? 'with' : 'without'} a mark: ${JSON.stringify(text)}`,
              documentFacts(utf32(text, order, mark)),
              { cause: 'not-utf8', message: `UTF-32 (${order === 'le' ? 'little' : 'big'}-endian), not UTF-8` },
            ] as const,
        ),
      ),
    ),
    [
      'UTF-16 without a mark, with letters beyond ASCII',
      documentFacts(utf16('{"name":"Zoë"}', 'le', false)),
      { cause: 'not-utf8', message: 'UTF-16 (little-endian)' },
    ],
    ['gzip bytes', documentFacts(bytes(0x1f, 0x8b, 8, 0, 0)), { cause: 'gzip', advice: 'Content-Encoding' }],
    ['half a surrogate pair', documentFacts('{"name":"\\ud800"}'), { cause: 'lone-surrogate', offset: 8 }],
    ['a pair the wrong way round', documentFacts('["\\udc00\\ud800"]'), { cause: 'lone-surrogate', offset: 1 }],
    ['half a pair in a name', documentFacts('{"\\uDEAD":1}'), { cause: 'lone-surrogate', offset: 1 }],
    ['half a pair behind a whole one', documentFacts('["\\ud83d\\ude00\\ude00"]'), { cause: 'lone-surrogate' }],
    ['half a pair behind an escaped backslash', documentFacts('["\\\\\\ud800"]'), { cause: 'lone-surrogate' }],
    ['an escape that lost its end', documentFacts('["\\ud83d\\ude0"]'), { cause: 'bad-escape' }],
    ...(
      [
        ['trailing-data', '{"apps":{}} {}'],
        ['trailing-comma', '{"apps":{},}'],
        ['missing-comma', '{"a":1 "b":2}'],
        ['missing-colon', '{"a" 1}'],
        ['merge-conflict', '{\n<<<<<<< HEAD\n"a":1}'],
        ['single-quotes', "{'a':1}"],
        ['unquoted-name', '{a:1}'],
        ['odd-space', '{\u00a0"a":1}'],
        ['control-character', '{"a":"\t"}'],
        ['bad-escape', '{"a":"\\x"}'],
        ['bad-number', '{"a":01}'],
        ['bad-literal', '{"a":True}'],
      ] as const
    ).map(([cause, text]) => [`syntax: ${cause}`, documentFacts(text), { cause }] as const),
    ['zstd bytes', documentFacts(bytes(0x28, 0xb5, 0x2f, 0xfd, 4, 0)), { cause: 'zstd' }],
    ...PHP.flatMap(
      (text) =>
        [
          [`PHP before the JSON: ${text}`, documentFacts(`${text}{"apps":{}}`), PHP_MESSAGE],
          [`PHP alone: ${text}`, documentFacts(text), PHP_MESSAGE],
          [`PHP behind a mark: ${text}`, documentFacts(`\ufeff${text}{"apps":{}}`), PHP_MESSAGE],
          [
            `PHP behind the JSON: ${text}`,
            documentFacts(`{"apps":{}}\n${text}`),
            { cause: 'program-message', message: 'After the JSON, the file has a PHP' },
          ],
        ] as const,
    ),
    ...[
      ['a Python traceback', 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nKeyError: 1\n'],
      ['a Python warning', '/srv/make.py:3: DeprecationWarning: datetime.utcnow() is deprecated\n'],
      ['a Node.js warning', '(node:123) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.\n'],
      ['a JavaScript stack trace', 'TypeError: Cannot read properties\n    at Object.<anonymous> (/srv/x.js:1:1)\n'],
      [
        'a Java stack trace',
        'Exception in thread "main" java.lang.Error: x\n\tat com.example.Main.main(Main.java:3)\n',
      ],
      ['a Ruby error', "make.rb:3:in `read': No such file or directory (Errno::ENOENT)\n"],
      ['a Go panic', 'panic: runtime error: index out of range\n\ngoroutine 1 [running]:\n'],
      ['a Perl message', "Can't locate JSON.pm in @INC at make.pl line 3.\n"],
      ['a shell error message', '/bin/sh: 1: jq: not found\n'],
      ['the error message of a command', 'jq: error (at <stdin>:1): Cannot index array\n'],
    ].flatMap(([kind = '', text = '']) =>
      ['', '{"apps":{"a":{}}}'].map(
        (json) => [`${kind} ${json}`, documentFacts(text + json), { cause: 'program-message', message: kind }] as const,
      ),
    ),
    ...[
      'Loading…\n',
      '> build\n> node make.js\n\n',
      '[12:00:01] INFO done\n',
      '2026-11-22 INFO done\n',
      'Warning: x\n',
    ].map(
      (text) =>
        [
          `output before the JSON: ${text}`,
          documentFacts(`${text}{"apps":{"a":{}}}`),
          { cause: 'text-before-json', message: `begins on line ${text.split('\n').length}: “${text.split('\n')[0]}”` },
        ] as const,
    ),
    ['JSONP', documentFacts('callback({"apps":{}});'), { cause: 'jsonp', message: 'callback(…)' }],
    ['a prefix against inclusion', documentFacts(')]}\',\n{"apps":{}}'), { cause: 'script-prefix' }],
    ['a module', documentFacts('export default {"apps":{}}'), { cause: 'javascript' }],
    ['the source of a PHP page', documentFacts('<?php echo json_encode($apps);'), { cause: 'source-code' }],
    ['an icon', documentFacts('<?xml version="1.0"?><svg xmlns="x"/>'), { cause: 'svg-image' }],
    [
      'another XML document',
      documentFacts('<rss></rss>'),
      { cause: 'xml-error', message: '<rss>', advice: 'Check the URL' },
    ],
    ['a fragment of HTML', documentFacts('<br />Hello'), { cause: 'html-page' }],
    ['a truncated document, not text before JSON', documentFacts('{"apps": {"a": {"b": 1}}'), { cause: 'truncated' }],
    ['an array that breaks off', documentFacts('[1, {"a": {"b": 1}}'), { cause: 'truncated' }],
    ['a fault in front of a whole object', documentFacts('{"a": x, "b": {"c": 1}}'), { cause: 'unexpected' }],
    ['a comment in front', documentFacts('// made by hand\n{"apps":{"a":{}}}'), { cause: 'comment' }],
  ],
});

test.each(['undefined', 'true false', 'name: "x"', '12 13', 'a\nb c', 'one, two: {', '// a comment here'])(
  'text is not classified as a message of a host: %j',
  (text) => {
    const found = documentUnreadable.check(documentFacts(text));
    expect(found).toMatchObject({ cause: expect.not.stringMatching(/^text-message$/) });
  },
);
