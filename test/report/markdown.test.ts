import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge } from '../../src/core/engine/judge.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cell, code, prose } from '../../src/report/markdown-text.ts';
import { markdown } from '../../src/report/markdown.ts';
import { runs } from '../support/property-runs.ts';
import { finding, HOSTILE, hostile, NOTHING, notJudged, report } from '../support/reports.ts';
import { metadataWith, snapshot } from '../support/snapshots.ts';

const show = (of: Report, folder = ''): string => markdown(of, { folder });

/** The text without its code spans, as CommonMark finds them: a run of backticks, up to the next run of that length. */
function withoutCode(text: string): { rest: string; spans: string[] } {
  const spans: string[] = [];
  let rest = '';
  for (let at = 0; at < text.length;) {
    const run = /^`+/.exec(text.slice(at))?.[0] ?? '';
    if (run === '') {
      rest += text[at++];
      continue;
    }
    const end = text.slice(at + run.length).search(new RegExp(`(?<!\`)${run}(?!\`)`));
    if (end < 0) throw new Error(`a code span that is not closed: ${text.slice(at, at + 80)}`);
    spans.push(text.slice(at + run.length, at + run.length + end));
    rest += '\u25a1';
    at += run.length * 2 + end;
  }
  return { rest, spans };
}

/** The text contains only our own markup, and nothing else that Markdown could interpret. */
function onlyOurs(text: string): void {
  expect(text.length).toBeLessThan(65_536);
  for (const block of text.split(/\n\n/)) {
    const { rest } = withoutCode(block);
    const plain = rest
      .replace(/^<\/?details>(<summary>[\w ,]+<\/summary>)?$/gm, '')
      .replace(/^#{2,3} /gm, '')
      .replace(/^\|.*\|$/gm, (row) => row.replaceAll('|', ''))
      .replace(/\*\*/g, '')
      .replace(/\\\n/g, '\n');
    expect(plain).not.toMatch(/[<>[\]*_~`|\\@#$&]|:\/\/|www\.|:\w+:|!\w/);
    expect(plain).not.toMatch(/^\s*(\d+[.)]|[+>])/m);
    expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/);
  }
}

test('the report starts with the result, followed by symptoms, hidden apps, errors and folded sections', () => {
  const text = show(
    report({
      target: 'registry.json',
      symptoms: [
        { id: 'registry-does-not-refresh', status: 'clear', rules: [] },
        { id: 'checksum-mismatch', status: 'confirmed', rules: ['checksum-malformed'] },
        { id: 'icon-does-not-display', status: 'not-judged', rules: [] },
        { id: 'app-does-not-appear', status: 'confirmed', rules: ['no-valid-versions'] },
      ],
      apps: [{ key: 'hello', visible: false, because: ['no-valid-versions'], latest: null }],
      findings: [finding(), finding({ rule: 'url-unusual', severity: 'warning', line: null })],
      notJudged: [notJudged(), notJudged({ rule: 'tls-untrusted' })],
    }),
    'acme',
  );
  expect(text).toBe(`## appreg lint

✗ 1 error, 1 warning (1 app, 1 version, 100 bytes, 0.4 s) · \`registry.json\`

| symptom | status | because of |
| --- | --- | --- |
| Registry does not refresh | clear |  |
| Checksum mismatch | **confirmed** | \`checksum-malformed\` |
| Icon does not display | not judged |  |
| App does not appear | **confirmed** | \`no-valid-versions\` |

**1 app that subscribers will not see:**

- \`hello\`, because of \`no-valid-versions\`

### 1 error

**\`acme/apps/hello/versions.json\`**

- \`checksum-malformed\` \`hello\` \`1.0.0\` 6:27 — The digest is written in upper case.\\
  → Write it in lower case.

<details><summary>1 warning</summary>

**\`acme/apps/hello/versions.json\`**

- \`url-unusual\` \`hello\` \`1.0.0\` — The digest is written in upper case.\\
  → Write it in lower case.

</details>

<details><summary>What was not judged</summary>

- **2 rules**: needs the network (\`unreachable\`, \`tls-untrusted\`)

</details>`);
  onlyOurs(text);
});

test('a finding about a response is printed with its evidence', () => {
  const url = 'https://apps.example.com/a.json';
  const text = show(report({ findings: [finding({ file: null, url, evidence: { status: 404, list: ['a', 'b'] } })] }));
  expect(text).toContain(`**\`${url}\`**`);
  expect(text).toContain('\\\n  `status: 404` · `list: a, b`');
});

test('an incomplete run is printed with the reason', () => {
  expect(show(NOTHING)).toContain('\n**Incomplete**: usage: unknown option --fixx\n');
});

test('a check that another shard makes does not make the run incomplete', () => {
  const aside = notJudged({
    rule: '*',
    resource: 'metadata',
    code: 'other-shard',
    reason: '3 apps of the other shards (this run is one of 2 shards)',
  });
  const text = show(report({ notJudged: [aside] }));
  expect(text).not.toContain('Incomplete');
  expect(text).toContain('\n- 3 apps of the other shards (this run is one of 2 shards)\n');
});

describe('the length for a comment', () => {
  test('is not exceeded with too many findings, apps and reasons', () => {
    const keys = Array.from({ length: 2000 }, (_, i) => `a.${i}`);
    const text = show(judge(snapshot(keys), { command: 'lint' }));
    expect(text.length).toBeLessThan(60_100);
    expect(text.length).toBeGreaterThan(40_000);
    const printed = text.match(/^- `app-key-unsafe`/gm)!.length;
    const { length } = judge(snapshot(keys), { command: 'lint' }).findings;
    expect(text).toContain(`… and ${(length - printed).toLocaleString('en-US')} more findings that do not fit here`);
    expect(text).toContain('- … and 1,950 more apps');
    onlyOurs(text);
  });

  test('is not exceeded, and errors come before notes', () => {
    const many = Array.from({ length: 1000 }, () => finding({ severity: 'note', message: 'x'.repeat(500) }));
    const text = show(report({ findings: [...many, finding()] }));
    expect(text).toContain('### 1 error');
    onlyOurs(text);
  });

  test('is not exceeded with hostile text', () => {
    for (const character of ['`', '* ', '` `', '\u001b', '|', '電'])
      onlyOurs(
        show(
          hostile(character.repeat(2000), {
            apps: Array.from({ length: 80 }, (_, i) => ({
              key: `${i}${character.repeat(500)}`,
              visible: false,
              because: Array.from({ length: 20 }, () => 'document-unreadable'),
              latest: null,
            })),
            notJudged: Array.from({ length: 80 }, (_, i) => notJudged({ reason: `${i}${character.repeat(500)}` })),
            findings: Array.from({ length: 80 }, () => finding({ message: character.repeat(1000) })),
          }),
        ),
      );
  });
});

describe('untrusted text', () => {
  test.each(HOSTILE)('contains only words and code: %j', (text) => onlyOurs(show(hostile(text))));

  test('contains only words and code for any text', () => {
    const marks = fc.string({ unit: fc.constantFrom(...'`*_[]()<>#|~@:/!-+1. \\$&aw\n'), maxLength: 60 });
    fc.assert(
      fc.property(fc.oneof(marks, fc.string({ unit: 'binary' })), (text) => onlyOurs(show(hostile(text)))),
      { numRuns: runs(100) },
    );
  });

  test.each([
    ['“v2” is not a semantic version.', '“v2” is not a semantic version.'],
    ['Write it as "2.0.0".', 'Write it as "2.0.0".'],
    ['Serve https://x.example/a_b, please.', 'Serve `https://x.example/a_b`, please.'],
    ['(see apps/a/versions.json)', '(see `apps/a/versions.json`)'],
    ['by @everyone!', 'by `@everyone`!'],
    ['a <b>c</b> d', 'a `<b>c</b>` d'],
    ['with --origin <the origin>, or <b>', 'with --origin `<the origin>`, or `<b>`'],
    ['_<a b>_ <a b>_ (<a b>)', '`_<a` `b>_` `<a` `b>_` (`<a` `b>`)'],
    ['fixes #12, GH-12 and deadbeef1', 'fixes `#12`, `GH-12` and `deadbeef1`'],
    ['100 % of 50%', '100 % of 50%'],
    ['Größe und 大小', 'Größe und 大小'],
    ['a `b` c', 'a `` `b` `` c'],
  ])('is escaped in prose: %s', (raw, shown) => expect(prose(raw)).toBe(shown));

  test.each([
    ['a', '`a`'],
    ['', ''],
    ['`', '`` ` ``'],
    ['a``b`', '``` a``b` ```'],
    [' a ', '`  a  `'],
    ['a\nb', '`a\\u{a}b`'],
  ])('is escaped in code: %j', (raw, shown) => expect(code(raw)).toBe(shown));

  test('does not end a table cell', () => expect(cell(code('a|b'))).toBe('`a\\|b`'));
});

test('findings with the same location are listed under one heading', () => {
  const text = show(judge(snapshot(['a'], { a: metadataWith('v1', 'v2') }), { command: 'lint' }));
  expect(text.match(/^\*\*`apps\/a\/versions\.json`\*\*$/gm)).toHaveLength(1);
});
