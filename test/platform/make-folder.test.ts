import { mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder, makeFolderSync } from '../../src/platform/make-folder.ts';
import { folder } from '../support/folders.ts';

describe.each([
  { name: 'makeFolder', make: makeFolder },
  { name: 'makeFolderSync', make: async (path: string, mode?: number) => makeFolderSync(path, mode) },
])('$name', ({ make }) => {
  test('creates missing parents with the mode, and returns the topmost one', async () => {
    const root = folder();
    const path = join(root, 'a/b/c');
    expect(await make(path, 0o700)).toBe(join(root, 'a'));
    for (const one of ['a', 'a/b', 'a/b/c']) {
      const stats = statSync(join(root, one));
      expect(stats.isDirectory()).toBe(true);
      if (process.platform !== 'win32') expect(stats.mode & 0o777).toBe(0o700);
    }
  });

  test('leaves an existing folder as it is', async () => {
    const root = folder({ 'a/file': 'x' });
    expect(await make(join(root, 'a'))).toBeUndefined();
    expect(await make('/')).toBeUndefined();
  });

  test('creates a folder that others create at the same time', async () => {
    const path = join(folder(), 'a/b');
    await Promise.all(Array.from({ length: 8 }, () => make(path)));
    expect(statSync(path).isDirectory()).toBe(true);
  });

  test('creates a folder below a link to a folder', async () => {
    const root = folder();
    mkdirSync(join(root, 'target'));
    symlinkSync(join(root, 'target'), join(root, 'link'), 'junction');
    await make(join(root, 'link/a'));
    expect(statSync(join(root, 'target/a')).isDirectory()).toBe(true);
  });

  test.runIf(process.platform !== 'win32')('rejects with the error of the system for a file in the path', async () => {
    const root = folder({ file: 'x' });
    await expect(make(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(make(join(root, 'file/a/b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  test.runIf(process.platform === 'linux')('rejects below /proc, where folders cannot be created', async () => {
    await expect(make('/proc/x/y')).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/x' });
  });
});
