import { describe, expect, test } from 'vitest';
import { parseUrl, urlParts } from '../../../src/core/url/url.ts';
import { safeKeyFor } from '../../../src/core/registry/app-key.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import { changingPart } from '../../../src/core/rules/urls/changing-part/changing-part.ts';
import { isFixedRef, namesFixedVersion } from '../../../src/core/rules/urls/changing-part/words.ts';
import { normalized } from '../../../src/core/text/normalized.ts';
import { printable, printableExcerpt, redact, shorten } from '../../../src/core/text/text.ts';
import { checksum } from '../../support/core-facts.ts';
import { entry, snapshot } from '../../support/snapshots.ts';
import { expectWithin } from '../../support/timing.ts';

/**
 * Long texts of a registry. With code of quadratic time, these take minutes to days; linear code takes a fraction of the
 * limit, which allows for a loaded machine.
 */
const LIMIT = 5000;

/** Characters that are invisible, combine, reorder a line, are half of a pair, or are a separator somewhere. */
const PARTS = [
  '\u200d',
  '\u0301',
  '\u0323\u0301',
  '\u202e',
  '\ud800',
  '\udc00',
  '\u{1f468}\u200d',
  '\u1100',
  '\ufdfa',
  '\u0000',
  ' ',
  '/',
  '~',
  '%2e',
  '1.',
  'a-',
  'latest/',
  '-latest-linux',
  '/releases/download/',
  '-1.1',
  'bearer ',
  '?a=',
];
const shown = (part: string): string => printable(part);

/** An element of `versions`. */
function version(more: object): object {
  return {
    version: '1.0.0',
    artifactUrl: 'https://apps.example.com/a.tar.gz',
    artifactChecksum: checksum(1),
    ...more,
  };
}

describe.each(PARTS.map((part) => [shown(part), part] as const))('%s, repeated', (_, part) => {
  const long = part.repeat(100_000 / part.length);
  const shorter = part.repeat(30_000 / part.length);

  test('in every text of a registry', () => {
    const app = entry('a');
    const facts = snapshot(
      {
        [shorter]: 1,
        apps: {
          a: { ...app, name: shorter, description: shorter },
          [shorter]: app,
          [`${shorter}b`]: app,
          c: { ...app, appMetadataUrl: `https://apps.example.com/${shorter}` },
          d: { ...app, blockStyle: { iconUrl: `https://${shorter}.example/`, color: `#${shorter}` } },
        },
      },
      {
        a: {
          versions: [
            version({ version: shorter }),
            version({ version: `1.0.0-${shorter}` }),
            version({ artifactUrl: `https://apps.example.com/${shorter}1.0.0.tar.gz` }),
            version({ artifactUrl: `https://apps.example.com/a.tar.gz?ref=${shorter}` }),
            version({ artifactUrl: `https://${shorter}@apps.example.com/a.tar.gz` }),
            version({ artifactChecksum: shorter }),
            version({ artifactChecksum: `sha256:${shorter}` }),
            version({ [shorter]: 1 }),
          ],
        },
      },
    );
    expectWithin(LIMIT, () => judge(facts, { command: 'lint' }));
  });

  test.each([
    ['redact', () => redact(`https://apps.example.com/?${long}`)],
    ['safeKeyFor', () => safeKeyFor(long)],
    ['parseUrl', () => parseUrl(`https://${long}/`)],
    ['isFixedRef', () => isFixedRef(`${long}!`)],
    ['namesFixedVersion', () => namesFixedVersion(`1.1.${long}-SNAPSHOT`)],
    ['changingPart', () => changingPart({ ...urlParts('https://github.com/o/r/')!, pathname: `/${long}1.0.0.tar.gz` })],
  ])('in %s', (_name, work) => {
    expectWithin(LIMIT, work);
  });

  test('an excerpt is the beginning of the printable text', () => {
    expect(printableExcerpt(long, 80)).toBe(shorten(printable(long), 80));
  });
});

test('text of languages is normalized as by the runtime', () => {
  for (const text of [
    'e\u0301',
    '\u1e9b\u0323',
    'a\u0301'.repeat(100),
    `a${'\u0323\u0301'.repeat(15)}`,
    '\ufb01',
    '\ud800',
  ])
    for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const)
      expect(normalized(text, form)).toBe(text.normalize(form));
});

test('more than 30 combining marks in a row are sorted 30 at a time, and none is lost', () => {
  const text = `a${'\u0301\u0323'.repeat(40)}b`;
  expect([...normalized(text, 'NFD')].toSorted()).toEqual([...text].toSorted());
});

test('a host with more than 30 combining marks in a row is invalid; a path may have them', () => {
  const marks = '\u0323\u0301'.repeat(20);
  expect(parseUrl(`https://a${marks}.example/`)).toBe(null);
  expect(parseUrl(`//a${marks}.example/`, 'https://b.example/')).toBe(null);
  expect(parseUrl(`https://a.example/${marks}?${marks}`)?.hostname).toBe('a.example');
});
