import { expect, test } from 'vitest';
import type { Finding } from '../../../src/core/findings/report.ts';
import { fnv1a, withFingerprints } from '../../../src/core/findings/fingerprint.ts';
import { finding } from '../../support/reports.ts';

test('FNV-1a returns the documented hashes', () => {
  expect(['', 'a', 'foobar'].map(fnv1a)).toEqual(['cbf29ce484222325', 'af63dc4c8601ec8c', '85944171f73967e8']);
});

const fingerprints = (findings: Finding[]): string[] =>
  withFingerprints(findings).map(({ fingerprint }) => fingerprint);
const name = (more: Parameters<typeof finding>[0]): string => fingerprints([finding(more)])[0]!;

test.each([
  ['a line and column', { line: 9, column: 1 }],
  ['the place in the list', { pointer: '/versions/12/artifactChecksum' }],
  ['a message that quotes what changes', { message: 'It took 3 s.' }],
  ['the severity', { severity: 'warning' as const }],
])('another %s does not change the fingerprint', (_, more) => expect(name(more)).toBe(name({})));

const nameWithQuery = (query: string): string => name({ file: null, url: `https://x.example/a.tar.gz?${query}` });
test('another signature in a URL does not change the fingerprint', () => {
  expect(nameWithQuery('X-Amz-Date=1')).toBe(nameWithQuery('X-Amz-Date=2'));
});

test.each([
  ['rule', { rule: 'url-insecure' }],
  ['cause', { cause: 'md5' }],
  ['app', { app: 'other' }],
  ['version', { version: '2.0.0' }],
  ['file', { file: 'x.json' }],
  ['field', { pointer: '/versions/0/artifactUrl' }],
])('another %s changes the fingerprint', (_, more) => expect(name(more)).not.toBe(name({})));

test('equal findings have different fingerprints in a stable order', () => {
  const names = fingerprints([finding(), finding(), finding({ app: 'x' }), finding()]);
  expect(new Set(names).size).toBe(4);
  expect(names[0]).toBe(name({}));
  expect(fingerprints([finding(), finding()])).toEqual(names.slice(0, 2));
});
