import { describe, expect, test } from 'vitest';
import { diffRegistries } from '../../src/core/diff/diff.ts';
import { diffAsMarkdown, diffAsText } from '../../src/report/diff.ts';
import { PLAIN } from '../../src/report/style.ts';
import { documentText } from '../../src/report/envelope.ts';
import { entry, metadataWith, snapshot } from '../support/snapshots.ts';

const HOSTILE = '\u001b[2J| <b>x</b> `y` @team ![i](https://x.test/?token=s3cret) \n::error::z';
const before = snapshot({ apps: { a: entry('a'), b: entry('b') } });
const after = snapshot(
  { apps: { a: entry('a', { name: HOSTILE }), ['c|`']: entry('c') } },
  { a: metadataWith('1.0.0', `1.0.0-${HOSTILE}`) },
);
const difference = diffRegistries(before, after);

test('the text lists the changes and the vanishing apps, and ends with a summary', () => {
  expect(
    diffAsText(diffRegistries(snapshot(['a', 'b']), snapshot(['a'], { a: metadataWith('1.0.0', '1.1.0') })), PLAIN),
  ).toBe(`~ a  (latest 1.0.0 → 1.1.0)
    + 1.1.0  added: https://apps.example.com/apps/a/versions/1.1.0.tar.gz
- b
    - 1.0.0  withdrawn, but a published version must stay listed
Subscribers would no longer see b: it is no longer listed.
1 app removed, 1 app changed, 1 version added, 1 version withdrawn`);
  expect(diffAsText(diffRegistries(before, before), PLAIN)).toBe('Nothing changes for subscribers');
});

test('a retirement is a change, although no app or version changes', () => {
  const about = [{ app: 'a', version: '1.0.0', change: 'retired', reason: 'security' }] as const;
  const found = { ...diffRegistries(before, before), about };
  expect(diffAsText(found, PLAIN)).toBe(
    'a 1.0.0: retired (security)\nNo app or version changes; 1 change of about files',
  );
  expect(diffAsMarkdown(found)).toMatch(/^### No app or version changes; 1 change of about files\n/);
});

const digest = 'acf3f69e4729be94f1d125224b1548b9c56acccf8a9599620744bb3f2e377266';

function listing(artifactChecksum: string): ReturnType<typeof snapshot> {
  const [version] = metadataWith('1.0.0').versions;
  return snapshot(['a'], { a: { versions: [{ ...version, artifactChecksum }] } });
}

test.each([
  [`sha256:${digest.toUpperCase()}`, `sha256:${digest}`, '~ 1.0.0  checksum: '],
  ['sha256:unknown', `sha256:${digest}`, '~ 1.0.0  checksum: '],
  [`sha256:${digest.replace('a', 'b')}`, `sha256:${digest}`, '! 1.0.0  different bytes: '],
])('%s → %s changes the bytes of a published version only if the digest differs', (old, now, words) => {
  const text = diffAsText(diffRegistries(listing(old), listing(now)), PLAIN);
  expect(text).toContain(words);
  expect(text.includes('must never change')).toBe(words.startsWith('!'));
});

test('apps that were not read are listed as not compared, without changes', () => {
  const unseen = { content: { missing: { code: 'not-in-source', source: HOSTILE } } } as const;
  const blind = (state: typeof before): typeof before => ({
    ...state,
    apps: state.apps.map((app) => ({ ...app, metadata: { ...app.metadata, ...unseen }, artifacts: [] })),
  });
  const text = diffAsText(diffRegistries(before, blind(before)), PLAIN);
  expect(text).toMatch(
    /^Versions not compared: a, b \(it is not in .*\)\nNothing changes for subscribers, as far as was observed$/,
  );
  const more = diffRegistries(snapshot([]), blind(before));
  expect(diffAsText(more, PLAIN)).toMatch(/^\+ a\n\+ b\n/);
  for (const shown of [text, diffAsMarkdown(more), documentText('diff', more)])
    // oxlint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|s3cret|withdrawn/);
  expect(diffAsMarkdown(more)).toContain('Versions not compared: `a`, `b` (');
});

describe('text from a registry', () => {
  test.each([
    ['text', diffAsText(difference, PLAIN)],
    ['markdown', diffAsMarkdown(difference)],
    ['json', documentText('diff', difference)],
  ])('contains no control characters, secrets or commands in the format %s', (_, text) => {
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|s3cret/);
    expect(text).not.toMatch(/^::/m);
  });

  test('breaks no cell of the table and adds no tag or mention outside of code', () => {
    const rows = diffAsMarkdown(difference)
      .split('\n')
      .filter((line) => line.startsWith('|'));
    for (const row of rows) expect(row.replaceAll('\\|', '').split('|')).toHaveLength(6);
    const bare = rows.join('\n').replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '');
    expect(bare).not.toMatch(/[<@![]/);
  });
});

test('the text and the Markdown of a large difference are truncated with a count', () => {
  const keys = Array.from({ length: 300 }, (_, i) => `app-${i}`);
  const many = diffRegistries(snapshot([]), snapshot(keys));
  for (const text of [diffAsText(many, PLAIN), diffAsMarkdown(many)]) {
    expect(text).toContain('200 more apps');
    expect(text.length).toBeLessThan(60_000);
  }
  expect((JSON.parse(documentText('diff', many)) as { apps: unknown[] }).apps).toHaveLength(300);
});
