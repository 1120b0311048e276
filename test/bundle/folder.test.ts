import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundle } from '../../src/bundle/bundle.ts';
import { headers, tree, unpacked } from './tree.ts';

describe('a folder', () => {
  test('is packed with all files, sorted by code unit, with one mode', async () => {
    const folder = tree({
      'app.js': 'app',
      'b/x.txt': 'x',
      'B.txt': 'B',
      'b-1.txt': '1',
      '.env': 'e',
      'é.txt': 'é',
      'node_modules/d/i.js': '',
    });
    chmodSync(join(folder, 'app.js'), 0o755);
    chmodSync(join(folder, 'B.txt'), 0o600);
    const { archive, entries, warnings } = await bundle({ entry: folder, include: ['ignored/**'], external: ['x'] });
    const expected = ['.env', 'B.txt', 'app.js', 'b-1.txt', 'b/x.txt', 'node_modules/d/i.js', 'é.txt'];
    expect(entries.map((entry) => entry.path)).toEqual(expected);
    expect(Object.keys(await unpacked(archive))).toEqual(expected);
    expect(entries.find((entry) => entry.path === 'é.txt')!.size).toBe(2);
    expect(new Set(headers(archive).map((header) => header.mode))).toEqual(new Set([0o644]));
    expect(warnings).toEqual([]);
  });

  test('is packed without files of version control and of the system, which are listed as warnings', async () => {
    const folder = tree({
      'app.js': '',
      '.git/config': '',
      'sub/.git': 'gitdir: x',
      '.DS_Store': '',
      'a/.DS_Store': '',
      '.gitignore': '',
    });
    const { entries, warnings } = await bundle({ entry: folder });
    expect(entries.map((entry) => entry.path)).toEqual(['.gitignore', 'app.js']);
    expect(warnings).toEqual(['left out: .DS_Store', 'left out: .git', 'left out: a/.DS_Store', 'left out: sub/.git']);
  });

  test('is packed without the archive itself, including links to it', async () => {
    const folder = tree({ 'app.js': '' });
    const output = join(folder, 'out/app.tar.gz');
    const first = await bundle({ entry: folder, leaveOut: output });
    mkdirSync(join(folder, 'out'));
    writeFileSync(output, first.archive);
    symlinkSync(output, join(folder, 'latest.tar.gz'));
    const second = await bundle({ entry: folder, leaveOut: output });
    expect(second.checksum).toBe(first.checksum);
    expect(second.warnings).toEqual(['left out: latest.tar.gz', 'left out: out/app.tar.gz']);
  });

  test('is packed with the targets of links inside it', async () => {
    const folder = tree({ 'app.js': 'app', 'real/a.txt': 'a' });
    symlinkSync('real', join(folder, 'again'));
    symlinkSync('../app.js', join(folder, 'real/app.js'));
    expect(await unpacked((await bundle({ entry: folder })).archive)).toEqual({
      'again/a.txt': 'a',
      'again/app.js': 'app',
      'app.js': 'app',
      'real/a.txt': 'a',
      'real/app.js': 'app',
    });
  });

  test('may be given as a symbolic link', async () => {
    const folder = tree({ 'app.js': 'app' });
    const link = join(tree(), 'link');
    symlinkSync(folder, link);
    expect((await bundle({ entry: link })).checksum).toBe((await bundle({ entry: folder })).checksum);
  });

  const outside = tree({ 'secret.txt': 's', 'deep/x': '' });
  test.each([
    ['outside the folder', outside],
    ['to a file outside', join(outside, 'secret.txt')],
    ['up', '../..'],
    ['to a sibling with a like name', '../folder-2'],
    ['to nothing', 'gone'],
    ['to itself', 'link'],
    ['part of a loop', '.'],
  ])('with a link %s is rejected', async (_, target) => {
    const base = tree({ 'folder/sub/app.js': '', 'folder-2/x': '' });
    symlinkSync(target, join(base, 'folder/link'));
    await expect(bundle({ entry: join(base, 'folder') })).rejects.toMatchObject({
      code: 'bundle-link-invalid',
      exit: 2,
    });
  });

  // Other systems cannot even hold some of these names, or not side by side.
  const REFUSED: [name: string, files: Record<string, string>, code: string, system?: 'linux'][] = [
    ['no files', {}, 'bundle-empty'],
    ['only files that are left out', { '.git/config': '' }, 'bundle-empty'],
    ['names that differ in case', { 'a.js': '', 'A.js': '' }, 'bundle-name-collision', 'linux'],
    ['a folder and a file that differ in case', { 'lib/x': '', LIB: '' }, 'bundle-name-collision', 'linux'],
    ['accents composed in two ways', { '\u00e9': '', 'e\u0301': '' }, 'bundle-name-collision', 'linux'],
    ['a backslash in a name', { 'a\\b': '' }, 'bundle-name-invalid', 'linux'],
    ['an escape sequence in a name', { 'a\u001b[2J': '' }, 'bundle-name-invalid', 'linux'],
    ['a line break in a name', { 'a\nb': '' }, 'bundle-name-invalid', 'linux'],
    ['a name like a drive', { 'c:x': '' }, 'bundle-name-invalid', 'linux'],
  ];
  test.each(REFUSED.filter(([, , , system]) => system === undefined || system === process.platform))(
    'with %s is rejected',
    async (_, files, code) => {
      await expect(bundle({ entry: tree(files) })).rejects.toMatchObject({ code, exit: 2 });
    },
  );

  test.skipIf(process.platform !== 'linux')('with names that are not UTF-8 or with pipes is rejected', async () => {
    const named = tree({ 'app.js': '' });
    writeFileSync(Buffer.concat([Buffer.from(`${named}/`), Buffer.from([0xff, 0xfe])]), '');
    await expect(bundle({ entry: named })).rejects.toMatchObject({ code: 'bundle-name-invalid' });
    const piped = tree({ 'app.js': '' });
    execFileSync('mkfifo', [join(piped, 'pipe')]);
    await expect(bundle({ entry: piped })).rejects.toMatchObject({ code: 'not-a-file' });
  });

  test('cannot be combined with --ui', async () => {
    const folder = tree({ 'app.js': '' });
    await expect(bundle({ entry: folder, ui: join(folder, 'app.js') })).rejects.toMatchObject({
      code: 'option-conflict',
    });
  });
});
