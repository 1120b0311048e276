import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, type TestContext } from 'vitest';
import { type Disk, otherNameOnDisk } from '../../src/platform/names.ts';
import { openDirectory } from '../../src/store/directory/directory.ts';
import { servedFile } from '../../src/serve/files.ts';
import { folderTree } from '../../src/observe/workspace/documents.ts';
import { caseInsensitiveFolder } from '../support/case-insensitive.ts';

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'appreg-names-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A folder with `apps/Clock/Icon.SVG`, on a case-insensitive file system; skips the test without one. */
function forgivingFolder(context: TestContext): string {
  const found = caseInsensitiveFolder();
  if (typeof found !== 'string') context.skip(found.missing);
  mkdirSync(join(found, 'apps/Clock'), { recursive: true });
  writeFileSync(join(found, 'apps/Clock/Icon.SVG'), 'x');
  return found;
}

function isSameName(a: string, b: string): boolean {
  return a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase();
}

function refuse(): never {
  throw Object.assign(new Error('not allowed'), { code: 'EACCES' });
}

/** A disk that finds names in any case and normalization, as that of macOS does. */
function forgivingDisk(...paths: string[]): Disk & { listings: number } {
  const all = paths.flatMap((path) => path.split('/').map((_, at, names) => names.slice(0, at + 1).join('/')));
  const disk = {
    listings: 0,
    has: (path: string) => all.some((one) => isSameName(join('/r', one), path)),
    list(folder: string) {
      disk.listings += 1;
      const inside = all.filter((one) => isSameName(join('/r', one, '..'), folder));
      return [...new Set(inside.map((one) => one.slice(one.lastIndexOf('/') + 1)))];
    },
    nameOf: () => 'long name',
  };
  return disk;
}

describe('on a disk that ignores case and normalization', () => {
  test.each([
    { name: 'the name as it is', path: 'apps/a/icon.svg', files: ['apps/a/icon.svg'], expected: null },
    { name: 'another case', path: 'apps/a/icon.svg', files: ['apps/a/Icon.SVG'], expected: 'apps/a/Icon.SVG' },
    {
      name: 'another case of a folder',
      path: 'apps/a/icon.svg',
      files: ['Apps/a/icon.svg'],
      expected: 'Apps/a/icon.svg',
    },
    {
      name: 'a new file in a folder of another case',
      path: 'apps/clock/new.json',
      files: ['apps/Clock/x'],
      expected: 'apps/Clock',
    },
    { name: 'a decomposed letter', path: 'caf\u00e9.png', files: ['cafe\u0301.png'], expected: 'cafe\u0301.png' },
    { name: 'nothing there', path: 'apps/b/icon.svg', files: ['apps/a/icon.svg'], expected: null },
    { name: 'digits only', path: '1.0.0', files: ['1.0.0'], expected: null },
  ])('the listed name is found: $name', ({ path, files, expected }) =>
    expect(otherNameOnDisk('/r', path.split('/'), forgivingDisk(...files))).toBe(expected),
  );

  test('a short name of Windows is the long name in the listing', () => {
    const disk: Disk = { has: () => true, list: () => ['Program Files'], nameOf: () => 'Program Files' };
    expect(otherNameOnDisk('/r', ['PROGRA~1'], disk)).toBe('Program Files');
  });

  test('a folder that cannot be listed has no other name', () => {
    expect(otherNameOnDisk('/r', ['a.json'], { has: () => true, list: refuse, nameOf: refuse })).toBe(null);
  });
});

describe('on the disk of this machine', () => {
  test('two files whose names differ in case are distinct', (context) => {
    writeFileSync(join(root, 'icon.svg'), '1');
    try {
      linkSync(join(root, 'icon.svg'), join(root, 'ICON.SVG'));
    } catch {
      return context.skip('the file system does not tell case');
    }
    for (const name of ['icon.svg', 'ICON.SVG']) expect(otherNameOnDisk(root, [name])).toBe(null);
  });

  test('a symbolic link has the name that the folder lists', () => {
    mkdirSync(join(root, 'real'));
    symlinkSync('real', join(root, 'link'), 'junction');
    writeFileSync(join(root, 'real/a.json'), '{}');
    expect(otherNameOnDisk(root, ['link', 'a.json'])).toBe(null);
  });

  describe('with a case-insensitive file system', () => {
    test('serve responds only to the listed name', async (context) => {
      const site = forgivingFolder(context);
      const file = await servedFile(site, ['apps', 'Clock', 'Icon.SVG'], new Set());
      expect(file).toBe(join(site, 'apps/Clock/Icon.SVG'));
      expect(await servedFile(site, ['apps', 'clock', 'Icon.SVG'], new Set())).toBe(null);
      expect(await servedFile(site, ['apps', 'Clock', 'icon.svg'], new Set())).toBe(null);
    });

    test('a baseline folder has only the listed name', (context) => {
      const tree = folderTree(forgivingFolder(context), 'there');
      expect(tree.read('apps/Clock/Icon.SVG')).toMatchObject({ text: 'x' });
      expect(tree.read('apps/Clock/icon.svg')).toBe(null);
    });

    test('a store rejects the other name and writes nothing', async (context) => {
      const site = forgivingFolder(context);
      const store = openDirectory(site);
      expect(await store.read('apps/Clock/Icon.SVG')).toMatchObject({ bytes: Buffer.from('x') });
      const refused = {
        code: 'path-refused',
        message: expect.stringContaining('contains it as “apps/Clock') as string,
      };
      await expect(store.read('apps/Clock/icon.svg')).rejects.toMatchObject(refused);
      await expect(store.create('apps/clock/versions.json', Buffer.from('{}'))).rejects.toMatchObject(refused);
      expect(readdirSync(site)).toEqual(['apps']);
      expect(readdirSync(join(site, 'apps/Clock'))).toEqual(['Icon.SVG']);
    });
  });
});
