import { expect, test } from 'vitest';
import type { About } from '../../../src/core/about/about-file.ts';
import type { RetirementReason } from '../../../src/core/about/about-document.ts';
import { latestOffered, replacementFault, replacementOf } from '../../../src/core/about/retirement.ts';

/** @param retired by version: the reason, and the version to use */
function about(retired: Record<string, [RetirementReason, string?]>): About {
  const versions = Object.entries(retired).map(([version, [reason, use = null]]) => {
    const deprecated = { reason, message: 'Old.', use, since: null };
    return [version, { published: null, notes: null, deprecated }] as const;
  });
  return { app: { homepage: null, source: null, licence: null, support: null }, versions: new Map(versions) };
}

test('a replacement is listed and higher', () => {
  expect(replacementFault('1.0.0', '1.0.1', ['1.0.0', '1.0.1'])).toBeNull();
  expect(replacementFault('1.0.0', '1.0.1', ['1.0.0'])).toBe('not-listed');
  expect(replacementFault('1.0.0', '1.0.0', ['1.0.0'])).toBe('not-higher');
  expect(replacementFault('1.0.0', '0.9.0', ['0.9.0', '1.0.0'])).toBe('not-higher');
});

test.each<[string, Parameters<typeof about>[0], string | null]>([
  ['none is retired', {}, null],
  ['none is named', { '1.0.0': ['broken'] }, null],
  ['one is named', { '1.0.0': ['broken', '1.1.0'] }, '1.1.0'],
  ['the named one is retired too', { '1.0.0': ['broken', '1.1.0'], '1.1.0': ['security', '2.0.0'] }, '2.0.0'],
  ['the second one is not listed', { '1.0.0': ['broken', '1.1.0'], '1.1.0': ['security', '3.0.0'] }, '1.1.0'],
  ['a circle', { '1.0.0': ['broken', '1.1.0'], '1.1.0': ['broken', '1.0.0'] }, '1.1.0'],
])('the replacement if %s', (_, retired, expected) => {
  expect(replacementOf('1.0.0', about(retired), ['1.0.0', '1.1.0', '2.0.0'])).toBe(expected);
});

const LISTED = ['1.0.0', '1.1.0', '2.0.0', '2.1.0-rc.1', 'broken'];

test.each<[string, Parameters<typeof about>[0], string]>([
  ['none is retired', {}, '2.0.0'],
  ['the highest is broken', { '2.0.0': ['broken', '2.1.0-rc.1'] }, '2.0.0'],
  ['the highest is insecure, and one is named', { '2.0.0': ['security', '2.1.0-rc.1'] }, '2.1.0-rc.1'],
  ['the highest is insecure, and a newer one is listed', { '2.0.0': ['security'] }, '2.1.0-rc.1'],
  ['the highest is insecure, and an older one is named', { '2.0.0': ['security', '1.1.0'] }, '1.1.0'],
  ['all newer ones are insecure', { '2.0.0': ['security'], '2.1.0-rc.1': ['security'] }, '2.0.0'],
  ['an older one is insecure', { '1.0.0': ['security', '1.1.0'] }, '2.0.0'],
])('the latest if %s', (_, retired, expected) => {
  expect(latestOffered(LISTED, about(retired))).toBe(expected);
});

test('without an about file, and without versions', () => {
  expect(latestOffered(LISTED, null)).toBe('2.0.0');
  expect(latestOffered([], null)).toBeNull();
});
