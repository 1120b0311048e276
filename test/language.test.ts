import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROLES } from '../conformance/src/case/case.ts';
import { casesOf } from '../conformance/src/sets.ts';
// @ts-expect-error: a script without declarations
import { messages as allMessages } from '../scripts/messages.mjs';
import { GUIDES } from './support/guides.ts';
import { filesIn, ROOT, SOURCES, WORKSPACES } from './support/source-files.ts';

/** The language of this project (CONTRIBUTING.md, "Language"). */

const root = ROOT;
const sources = SOURCES;
const assets = filesIn('src', ...WORKSPACES.map((name) => `${name}/src`)).filter((file) =>
  /\/assets\/.*\.(css|js)$/.test(file),
);

/** The comments of a file; successive lines with `//` are one. */
function commentsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return text.match(/\/\*[\s\S]*?\*\/|^[ \t]*\/\/.*(\n[ \t]*\/\/.*)*|(?<=[ \t])\/\/ .*$/gm) ?? [];
}

/** A file without its comments. */
function code(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

// CONTRIBUTING.md, "Language": words of translated or literary English, which readers have to decode.
const ODD_WORDS =
  /\b(somebody|whoever|anybody|mend(s|ed|ing)?|in vain|of late|anew|thereof|whereof|to be had|come about|so many|by then|under way|told apart)\b/i;

// A comment begins with a noun or a verb: "Reads …", "True if …".
const INDIRECT_QUESTION = /^[\s/*]*(What|Whether|Why|How)\b/;

// In messages only: comments quote them, and PostgreSQL has a user of the name.
const ODD_PHRASES =
  /(?<!\bthere )\b(is|are) no (?!longer)[a-z]|\b(stands? (in|twice|where|for)|told|everybody|there (is|are) no (such|other|user|terminal|completion|container)|(?<!user )nobody)\b/i;

// Names of values and functions that have to be decoded.
const ODD_NAMES =
  /\b(?:const|let|function) (told|asked|said|vain|odd|usual|look|looked|besides|underWay|unasked|unsaid|\w*[tT]rouble)\b/;

describe('plain technical English is used', () => {
  const guides = GUIDES.filter((file) => file !== 'docs/rules.md');
  const transcripts = readdirSync(join(root, 'test/cli/transcripts'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `test/cli/transcripts/${file}`);

  test.each(['README.md', ...guides, ...transcripts])('in %s', (file) => {
    const prose = readFileSync(join(root, file), 'utf8').replace(/```[\s\S]*?```/g, '');
    expect(prose.split('\n').filter((line) => ODD_WORDS.test(line))).toEqual([]);
  });

  const scripts = ['scripts', 'examples', 'action'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => /\.m?[jt]s$/.test(file))
      .map((file) => `${folder}/${file}`),
  );

  const comments = [...sources, ...assets, ...scripts].flatMap((file) =>
    commentsOf(file).map((comment) => ({ file, comment })),
  );

  test('in comments', () => {
    expect(comments.length).toBeGreaterThan(1000);
    expect(comments.filter(({ comment }) => ODD_WORDS.test(comment))).toEqual([]);
  });

  test('in the first words of comments', () => {
    const found = comments.filter(({ comment }) => INDIRECT_QUESTION.test(comment));
    expect(found).toEqual([]);
  });

  test('in names', () => {
    const oddNames = [...sources, ...scripts].flatMap((file) =>
      code(file)
        .split('\n')
        .filter((line) => ODD_NAMES.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(oddNames).toEqual([]);
  });

  test('in schemas', () => {
    const texts: string[] = [];
    for (const name of readdirSync(join(root, 'schemas')))
      JSON.parse(readFileSync(join(root, 'schemas', name), 'utf8'), (_, value: unknown) => {
        if (typeof value === 'string' && value.includes(' ')) texts.push(`${name}: ${value}`);
        return value;
      });
    expect(texts.length).toBeGreaterThan(300);
    expect(texts.filter((text) => ODD_WORDS.test(text) || ODD_PHRASES.test(text) || /\bstands?\b/.test(text))).toEqual(
      [],
    );
  });

  test('in the cases of the conformance kit', () => {
    const texts = ROLES.flatMap((role) => casesOf(1, role)).map(({ id, title }) => `${id}: ${title}`);
    expect(texts.length).toBeGreaterThan(250);
    expect(texts.filter((text) => ODD_WORDS.test(text) || ODD_PHRASES.test(text))).toEqual([]);
  });

  test('in messages, help texts and pages', () => {
    const texts: { file: string; text: string }[] = allMessages();
    expect(texts.length).toBeGreaterThan(2000);
    expect(
      texts
        .filter(({ text }) => ODD_WORDS.test(text) || ODD_PHRASES.test(text))
        .map((one) => `${one.file}: ${one.text}`),
    ).toEqual([]);
  }, 120_000);
});
