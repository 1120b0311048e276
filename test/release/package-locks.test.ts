import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changedPackageLocks } from '../../src/release/bump.ts';
import { folder } from '../support/folders.ts';

const LOCK = (path: string) => `{ "packages": { "${path}": { "version": "1.0.0" } } }`;

/** A workspace two folders below its lock file, with a lock file above the root as well. */
function monorepo(): string {
  return folder({
    'package-lock.json': LOCK('repo/apps/clock'),
    'repo/package-lock.json': LOCK('apps/clock'),
    'repo/apps/clock/package.json': '{ "version": "1.0.0" }',
    'repo/apps/clock/package-lock.json': LOCK(''),
  });
}

const changedIn = (root: string): string[] =>
  changedPackageLocks(join(root, 'repo/apps/clock/package.json'), '2.0.0').map(({ file, text }) => {
    expect(text).toContain('"version": "2.0.0"');
    return file.slice(root.length + 1).replaceAll('\\', '/');
  });

test('lock files are changed up to the root of the git repository', () => {
  const root = monorepo();
  mkdirSync(join(root, 'repo/.git'));
  expect(changedIn(root)).toEqual(['repo/apps/clock/package-lock.json', 'repo/package-lock.json']);
});

test('outside of a git repository, only the lock file beside the package is changed', () => {
  expect(changedIn(monorepo())).toEqual(['repo/apps/clock/package-lock.json']);
});
