import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/core/findings/report.ts';
import { fnv1a, type RegistryPlace, registryAt, withFingerprints } from '../../../src/core/findings/fingerprint.ts';
import { finding } from '../../support/reports.ts';

test('FNV-1a returns the documented hashes', () => {
  expect(['', 'a', 'foobar'].map(fnv1a)).toEqual(['cbf29ce484222325', 'af63dc4c8601ec8c', '85944171f73967e8']);
});

const REGISTRY: RegistryPlace = { identity: 'r/registry.json', folder: '/w/r', shownFrom: '/w/r' };
const fingerprints = (findings: Finding[], registry = REGISTRY): string[] =>
  withFingerprints(findings, registry).map(({ fingerprint }) => fingerprint);
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

function at(file: string, registry: Partial<RegistryPlace>): string {
  return fingerprints([finding({ file })], { ...REGISTRY, ...registry })[0]!;
}

describe('the place of a finding is relative to the folder of the manifest', () => {
  const expected = at('apps/a/versions.json', {});
  test.each<[string, string, Partial<RegistryPlace>]>([
    ['from the folder above', 'r/apps/a/versions.json', { shownFrom: '/w' }],
    ['from a folder below', 'a/versions.json', { shownFrom: '/w/r/apps' }],
    ['from a folder beside', '../r/apps/a/versions.json', { shownFrom: '/w/other' }],
    ['from another drive', '/w/r/apps/a/versions.json', { shownFrom: 'd:/x' }],
    ['in another clone', 'apps/a/versions.json', { folder: '/other/r', shownFrom: '/other/r' }],
    ['on Windows', 'r\\apps\\a\\versions.json', { folder: 'C:/w/r', shownFrom: 'C:/w' }],
  ])('%s', (_, file, registry) => expect(at(file, registry)).toBe(expected));

  test('another registry is another place', () => {
    expect(at('apps/a/versions.json', { identity: 's/registry.json' })).not.toBe(expected);
    expect(at('../s/apps/a/versions.json', {})).not.toBe(expected);
  });
});

test('a file and its URL below the base URL are one place', () => {
  const identity = 'https://apps.example.com/x/registry.json';
  const path = 'apps/a/versions.json';
  const local = fingerprints([finding({ file: path })], { ...REGISTRY, identity });
  const served = finding({ file: null, url: `https://apps.example.com/x/${path}?sig=1` });
  expect(fingerprints([served], registryAt(identity))).toEqual(local);
});

test('the configuration of a live check has the same place from every folder', () => {
  const [here, above] = ['appreg.config.json', '../appreg.config.json'].map((file) =>
    fingerprints([finding({ file })], registryAt('https://h.example/r.json')),
  );
  expect(above).toEqual(here);
});

test('the identity of a URL has no credentials and no query', () => {
  expect(registryAt('https://joe:secret@apps.example.com:443/r.json?sig=1#x').identity).toBe(
    'https://apps.example.com/r.json',
  );
  expect(withFingerprints([finding()], registryAt('https://h.example/r.json'))[0]).toMatchObject({
    registry: 'https://h.example/r.json',
    fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
  });
});
