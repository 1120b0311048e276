import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HostCheck } from '../../src/case/host.ts';
import { fixtureFiles, writeFixtures } from '../../src/host/fixtures.ts';
import { HOST_SETTINGS } from '../../src/case/host-settings.ts';
import { folderUrl } from '../../src/host/raw.ts';
import { casesOf } from '../../src/sets.ts';
import specification from '../../specification.json' with { type: 'json' };
import { errorOf, folder, write } from '../../../test/support/folders.ts';

/** The cases of hosts as data, and the tree of files that they request. */

const cases = casesOf(1, 'host');
const sentences = new Map<string, readonly string[]>(Object.entries(specification));

/** The names of responses that a check refers to. */
function responsesIn(check: HostCheck): string[] {
  if (check.check === 'connection') return [];
  const others = ['page', 'head', 'fabricated', 'conditional', 'revalidation', 'as'];
  return [check.of, ...Object.entries(check).flatMap(([key, value]) => (others.includes(key) ? [String(value)] : []))];
}

test.each(cases.map((one) => [one.id, one] as const))('%s refers to its own requests, and to files', (_id, one) => {
  const { script, expect: checks, level, quote, spec, setting } = one;
  const requests = script.requests ?? [];
  const names = requests.map(({ as }) => as);
  expect(new Set(names).size).toBe(names.length);
  expect(checks.length).toBeGreaterThan(0);
  expect(checks.some(({ check }) => check === 'connection')).toBe(script.connection !== undefined);
  for (const check of checks) {
    expect(names).toEqual(expect.arrayContaining(responsesIn(check)));
    if ('file' in check) expect([...fixtureFiles().keys()]).toContain(check.file);
  }
  for (const [at, { headers = {} }] of requests.entries())
    for (const value of Object.values(headers))
      for (const [, from] of value.matchAll(/\{([a-z-]+):/g)) expect(names.slice(0, at)).toContain(from);
  expect(Object.keys(HOST_SETTINGS[setting]).length).toBeGreaterThan(0);
  if (level === 'required') expect(sentences.get(spec)).toContain(quote);
  else expect(quote).toBeNull();
});

test('every setting is that of a case', () => {
  expect([...new Set(cases.map(({ setting }) => setting))].toSorted()).toEqual(Object.keys(HOST_SETTINGS).toSorted());
});

test('the tree of set 1 is frozen: its bytes are the same on every machine', () => {
  const hash = createHash('sha256');
  for (const [path, bytes] of fixtureFiles()) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  expect(hash.digest('hex')).toBe('a03917fead7bfb9f7732b06d410fb0799ed982cc4fffa7ffde099d943d768696');
});

test('the tree is written, and written again; a folder with other content is refused', async () => {
  const root = folder();
  const paths = await writeFixtures(join(root, 'new'));
  expect(await writeFixtures(join(root, 'new'))).toEqual(paths);
  for (const path of paths) expect(readFileSync(join(root, 'new', path))).toEqual(fixtureFiles().get(path));
  const artifact = join(root, 'new/apps/conformance-app/versions/2.0.0.tar.gz');
  expect(execFileSync('tar', ['-tzf', artifact], { encoding: 'utf8' })).toBe('app.js\n');
  write(root, { 'other/notes.txt': 'mine' });
  await expect(writeFixtures(join(root, 'other'))).rejects.toMatchObject({ code: 'folder-not-empty', exit: 2 });
  write(root, { 'new/registry.json': '{}' });
  await expect(writeFixtures(join(root, 'new'))).rejects.toMatchObject({ code: 'folder-not-empty' });
});

test.each([
  ['https://a.test', 'https://a.test/'],
  ['https://a.test/files', 'https://a.test/files/'],
  ['https://a.test/files/registry.json', 'https://a.test/files/'],
  ['https://a.test/files/?sig=x#y', 'https://a.test/files/?sig=x'],
])('the folder of %s', (given, expected) => {
  expect(folderUrl(given).href).toBe(expected);
});

test.each(['a.test', 'ftp://a.test/', 'https://user:secret@a.test/'])('the URL %s is refused', (url) => {
  expect(errorOf(() => folderUrl(url))).toMatchObject({ code: 'url-invalid', exit: 2 });
});
