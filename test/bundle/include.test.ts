import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundle } from '../../src/bundle/bundle.ts';
import { built, tree, unpacked } from './tree.ts';

describe('the option --include', () => {
  const FILES = {
    'main.ts': 'export {}',
    'assets/a.txt': 'a',
    'assets/deep/b.txt': 'b',
    'assets/.hidden': 'h',
    'odd [x].md': 'odd',
    'node_modules/dep/c.txt': 'c',
    'data.json': '{}',
  };
  test.each([
    [['assets'], ['assets/a.txt', 'assets/deep/b.txt']],
    [['assets/*.txt'], ['assets/a.txt']],
    [['**/*.txt'], ['assets/a.txt', 'assets/deep/b.txt']],
    [['**/*.txt', '!assets/deep/**'], ['assets/a.txt']],
    [['assets/.hidden'], ['assets/.hidden']],
    [['{data,none}.json', 'data.json'], ['data.json']],
    [['./data.json'], ['data.json']],
    [['odd [x].md'], ['odd [x].md']],
    [['node_modules/dep/*.txt'], ['node_modules/dep/c.txt']],
  ])('adds the matching files: %j', async (include, expected) => {
    const { entries } = await built(FILES, { include });
    expect(entries.map((entry) => entry.path)).toEqual(['app.js', ...expected].sort());
  });

  test('places a file and a folder', async () => {
    const files = { ...FILES, 'node_modules/dep/lib/d.bin': 'd', 'node_modules/dep/lib/.e': 'e' };
    const include = [
      { from: 'assets/a.txt', to: 'lib/a.txt' },
      { from: 'node_modules/dep/lib', to: './data' },
    ];
    const placed = { 'data/.e': 'e', 'data/d.bin': 'd', 'lib/a.txt': 'a' };
    expect((await built(files, { include })).files).toEqual({ 'app.js': '', ...placed });
    const folder = tree({ ...files, 'app/src/main.ts': 'export {}' });
    const above = await bundle({ entry: join(folder, 'app/src/main.ts'), include: include.slice(1) });
    expect(above.entries.map(({ path }) => path)).toEqual(['app.js', 'data/.e', 'data/d.bin']);
  });

  test('suggests slashes for a glob with backslashes', async () => {
    await expect(built(FILES, { include: ['assets\\*.txt'] })).rejects.toMatchObject({
      code: 'include-without-match',
      hint: expect.stringContaining('with /'),
    });
  });

  test.each([
    [['*.nothing'], 'include-without-match'],
    [['../*'], 'include-outside'],
    [['/etc/*'], 'include-outside'],
    [['app.js'], 'bundle-name-collision'],
    [['APP.js'], 'bundle-name-collision'],
  ])('rejects %j: %s', async (include, code) => {
    const files = { ...FILES, ...(code === 'bundle-name-collision' && { [include[0]!]: '' }) };
    await expect(built(files, { include })).rejects.toMatchObject({ code, exit: 2 });
  });

  test('rejects a link out of the folder, and packs the target of a link inside it', async () => {
    const outside = tree({ 'secret.txt': 's' });
    const folder = tree(FILES);
    symlinkSync('assets/a.txt', join(folder, 'inside.txt'));
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'outside.txt'));
    const { archive } = await bundle({ entry: join(folder, 'main.ts'), include: ['inside.txt'] });
    expect(await unpacked(archive)).toMatchObject({ 'inside.txt': 'a' });
    for (const include of ['outside.txt', '*.txt']) {
      await expect(bundle({ entry: join(folder, 'main.ts'), include: [include] })).rejects.toMatchObject({
        code: 'bundle-link-invalid',
      });
    }
  });
});
