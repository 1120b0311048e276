import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notesMarkup } from '../../src/html/notes.ts';
import { expectWithin } from '../support/timing.ts';

const renderNotes = (markdown: string): string => String(notesMarkup(markdown));

const REL = 'rel="nofollow noopener noreferrer"';

test.each<[string, string, string]>([
  ['a paragraph', 'one\ntwo\n\nthree', '<p>one\ntwo</p>\n<p>three</p>'],
  ['headings', '# A\n## B ##\n###### C', '<h3>A</h3>\n<h4>B</h4>\n<h6>C</h6>'],
  ['no heading', '#A', '<p>#A</p>'],
  ['a list', '- one\n- two\n  more\n- three', '<ul>\n<li>one</li>\n<li>two\nmore</li>\n<li>three</li>\n</ul>'],
  ['a numbered list', '1. one\n2. two', '<ol>\n<li>one</li>\n<li>two</li>\n</ol>'],
  [
    'a nested list',
    '- one\n  - two\n- three',
    '<ul>\n<li>one\n<ul>\n<li>two</li>\n</ul>\n</li>\n<li>three</li>\n</ul>',
  ],
  ['a list after text', 'Fixed:\n- one', '<p>Fixed:</p>\n<ul>\n<li>one</li>\n</ul>'],
  ['text after a list', '- one\n\nText', '<ul>\n<li>one</li>\n</ul>\n<p>Text</p>'],
  ['a quote', '> one\n> two', '<blockquote>\n<p>one\ntwo</p>\n</blockquote>'],
  ['code', '```js\na < b\n\n# c\n```\nd', '<pre><code>a &lt; b\n\n# c\n</code></pre>\n<p>d</p>'],
  ['code that does not end', '~~~\na', '<pre><code>a</code></pre>'],
  ['indented code', '    a\n    b', '<pre><code>a\nb\n</code></pre>'],
  ['a rule', 'a\n\n---\nb', '<p>a</p>\n<hr>\n<p>b</p>'],
  [
    'emphasis',
    '**a** *b* __c__ _d_ ~~e~~',
    '<p><strong>a</strong> <em>b</em> <strong>c</strong> <em>d</em> <s>e</s></p>',
  ],
  ['nested emphasis', '**a *b* c**', '<p><strong>a <em>b</em> c</strong></p>'],
  ['marks that overlap', '**a *b** c*', '<p><em><em>a <em>b</em></em> c</em></p>'],
  ['marks without a pair', '2 * 3 and file_name_x and **', '<p>2 * 3 and file_name_x and **</p>'],
  ['code spans', '`a*b*` and ``x`y`` and ` z', '<p><code>a*b*</code> and <code>x`y</code> and ` z</p>'],
  [
    'escapes',
    String.raw`\*a\* \[b\](https://c.example/)`,
    `<p>*a* [b](<a href="https://c.example/" ${REL}>https://c.example/</a>)</p>`,
  ],
  ['a link', '[a](https://b.example/x "title")', `<p><a href="https://b.example/x" ${REL}>a</a></p>`],
  ['a mail link', '[a](mailto:b@c.example)', `<p><a href="mailto:b@c.example" ${REL}>a</a></p>`],
  ['an autolink', '<https://b.example/>', `<p><a href="https://b.example/" ${REL}>https://b.example/</a></p>`],
  [
    'a bare URL',
    'See https://b.example/x.',
    `<p>See <a href="https://b.example/x" ${REL}>https://b.example/x</a>.</p>`,
  ],
  ['nothing', ' \n\n', ''],
  ['Windows line ends', 'a\r\n\r\nb', '<p>a</p>\n<p>b</p>'],
])('%s', (_, markdown, html) => {
  expect(renderNotes(markdown)).toBe(html);
});

/** The only tags that may occur. */
const ALLOWED =
  /<(?:\/?(?:p|ul|ol|li|blockquote|strong|em|s|code|pre|h[3-6])|hr|\/a|a href="(?:https?:&?[^"<>]*|mailto:[^"<>]*)" rel="nofollow noopener noreferrer")>/g;

function isSafe(html: string): boolean {
  const rest = html.replace(ALLOWED, '');
  // eslint-disable-next-line no-control-regex
  return !/[<>"']|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/.test(rest);
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '![x](https://evil.example/x.png)',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x]( javascript:alert(1))',
  '[x](java&#115;cript:alert(1))',
  '[x](\u0001javascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:x)',
  '[x](//evil.example/)',
  '[x](/relative)',
  '<javascript:alert(1)>',
  '[x](https://a.example/"onmouseover="alert(1))',
  '[x](https://a.example/%22%3E%3Cscript%3E)',
  '[<img src=x>](https://a.example/)',
  '[x]: javascript:alert(1)\n\n[x]',
  '`<script>`',
  '```"><script>\n</code></pre><script>\n```',
  '    </code></pre><script>',
  'a\u202Eb\u2066c\u200Bd',
  '\u001b[31mred\u001b[0m \u009b31m',
  '&lt;script&gt; &#60;script&#62;',
  '<!-- --><![CDATA[ ]]><?php ?>',
  '<a href="https://evil.example" style="position:fixed">x</a>',
  '**<b>**',
  'https://a.example/<script>',
  "https://a.example/'onclick='x",
];

describe('hostile text stays text', () => {
  test.each(HOSTILE)('%s', (markdown) => {
    const html = renderNotes(markdown);
    expect(isSafe(html)).toBe(true);
    expect(html).not.toMatch(/<(script|img|svg|style)|href="(?!https?:|mailto:)/i);
  });

  test('in any combination', () => {
    const part = fc.oneof(
      fc.constantFrom(
        ...HOSTILE,
        '[',
        '](',
        ')',
        '`',
        '``',
        '**',
        '_',
        '\n',
        '\n\n',
        '- ',
        '1. ',
        '> ',
        '    ',
        '```\n',
        '\\',
        '"',
        "'",
        '<',
        '>',
        '&',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        expect(isSafe(renderNotes(parts.join('')))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('an image is not loaded', () => {
    expect(renderNotes('![x](https://a.example/x.png)')).toBe(`<p>!<a href="https://a.example/x.png" ${REL}>x</a></p>`);
  });
});

test.each([
  '[',
  '[a](',
  '<http://',
  '*',
  '**a ',
  '`a``',
  '> ',
  '- ',
  '~~',
  '\\',
  'http://a',
  '_a_',
  '(((',
  '[](',
  '    - ',
  '`',
])('20 kB of “%s” take little time', (part) => {
  const text = part.repeat(20_000 / part.length);
  expectWithin(1500, () => {
    renderNotes(text);
    renderNotes(text.replaceAll(' ', ' \n'));
  });
});

test('tags are closed in order', () => {
  const html = renderNotes(`${'> '.repeat(20)}a\n\n${'- '.repeat(20)}b **c _d** e_`);
  const open: string[] = [];
  for (const [, end, tag] of html.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    if (tag === undefined) throw new Error('no tag');
    if (end === '') open.push(tag);
    else expect(open.pop()).toBe(tag);
  }
  expect(open).toEqual([]);
});

test('stacked combining marks are limited, so that they cover no other line', () => {
  expect(String(notesMarkup(`Z${'\u0489'.repeat(3000)}`))).toBe(`<p>Z${'\u0489'.repeat(4)}</p>`);
});
