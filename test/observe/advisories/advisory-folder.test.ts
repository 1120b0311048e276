import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { AppregError } from '../../../src/core/errors.ts';
import { type AdvisoryFolder, openAdvisories } from '../../../src/observe/advisories/advisory-folder.ts';
import { tree } from '../../bundle/tree.ts';
import { osvRecord } from '../../support/materials.ts';

const RECORD = JSON.stringify(osvRecord('X-1', 'a', '2.0.0', { summary: 'Größe' }));

function opened(folder: string): {
  advisories: AdvisoryFolder;
  broken: ReturnType<typeof vi.fn>;
  start: ReturnType<typeof vi.fn>;
} {
  const [broken, start] = [vi.fn(), vi.fn()];
  return { advisories: openAdvisories(folder, 'osv', { onStart: start, onBroken: broken }), broken, start };
}

async function errorOf(folder: string): Promise<AppregError> {
  return Promise.resolve()
    .then(async () => opened(folder).advisories.factsAbout([{ name: 'a', version: '1.0.0' }]))
    .then(
      () => Promise.reject(new Error('it was not refused')),
      (error: AppregError) => error,
    );
}

test('the advisories of a folder and its subfolders are found', async () => {
  const folder = tree({
    'X-1.json': `\ufeff${RECORD}`,
    '2026/01/X-2.json': JSON.stringify(osvRecord('X-2', 'a', null)),
    'README.md': 'no advisory',
    '.git/config.json': 'not read',
  });
  const { advisories, broken } = opened(folder);
  const packages = [
    { name: 'a', version: '1.0.0' },
    { name: 'b', version: '1.0.0' },
    { name: 'a', version: '2.0.0' },
  ];
  expect(await advisories.factsAbout(packages)).toEqual({
    packages: 3,
    vulnerable: [
      {
        name: 'a',
        version: '1.0.0',
        advisories: [
          { id: 'X-1', aliases: [], summary: 'Größe', severity: null, fixed: ['2.0.0'] },
          { id: 'X-2', aliases: [], summary: '', severity: null, fixed: [] },
        ],
      },
      {
        name: 'a',
        version: '2.0.0',
        advisories: [{ id: 'X-2', aliases: [], summary: '', severity: null, fixed: [] }],
      },
    ],
  });
  expect(broken).not.toHaveBeenCalled();
});

test('files that are not advisories are named', async () => {
  const folder = tree({
    'X-1.json': RECORD,
    'cut.json': RECORD.slice(0, 50),
    'empty.json': '',
    'other.json': '{"name":"x"}',
    ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`z${i}.json`, 'null'])),
  });
  const { advisories, broken } = opened(folder);
  await advisories.factsAbout([{ name: 'a', version: '1.0.0' }]);
  await advisories.factsAbout([{ name: 'b', version: '1.0.0' }]);
  expect(broken).toHaveBeenCalledTimes(1);
  const [examples, count] = broken.mock.calls[0]!;
  expect(count).toBe(23);
  expect(examples).toHaveLength(10);
  expect(examples).toContain('cut.json is not JSON');
  expect(examples).toContain('other.json is not an advisory in the format of OSV');
});

test.skipIf(process.platform === 'win32')('a pipe is named, and not waited for', async () => {
  const folder = tree({ 'X-1.json': RECORD });
  execFileSync('mkfifo', [join(folder, 'p.json')]);
  const { advisories, broken } = opened(folder);
  await advisories.factsAbout([{ name: 'a', version: '1.0.0' }]);
  expect(broken).toHaveBeenCalledWith(['p.json is not a regular file'], 1);
});

test('the folder is read when the first package is looked up, once, and other tasks run meanwhile', async () => {
  const folder = tree(Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`${i}.json`, RECORD])));
  const { advisories, start } = opened(folder);
  expect(await advisories.factsAbout([])).toEqual({ packages: 0, vulnerable: [] });
  expect(start).not.toHaveBeenCalled();
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  const found = await Promise.all([1, 2].map(() => advisories.factsAbout([{ name: 'a', version: '1.0.0' }])));
  clearInterval(counting);
  expect(found[0]?.vulnerable[0]?.advisories).toHaveLength(1);
  expect(start).toHaveBeenCalledTimes(1);
  expect(turns).toBeGreaterThan(0);
});

test.each<[name: string, files: Record<string, string>, path: string, reason: string]>([
  ['is missing', {}, 'missing', 'osv is not a folder'],
  ['is a file', { 'a.json': RECORD }, 'a.json', 'osv is not a folder'],
  ['is empty', { 'x/y.txt': '' }, 'x', 'osv contains no .json files'],
  [
    'is about other packages',
    {
      'a.json': JSON.stringify(osvRecord('X', 'a', null, { affected: [{ package: { ecosystem: 'Go', name: 'a' } }] })),
    },
    '.',
    'osv contains no advisories about packages of npm',
  ],
])('a folder that %s is an error', async (_, files, path, reason) => {
  const error = await errorOf(join(tree(files), path));
  expect(error).toMatchObject({ code: 'advisories-unusable', exit: 2 });
  expect(error.message).toContain(reason);
});
