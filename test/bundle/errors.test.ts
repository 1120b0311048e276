import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundle } from '../../src/bundle/bundle.ts';
import { built, listing, tree } from './tree.ts';

/** The hint of a build that imports a package that is not installed. @param files beside it */
async function hintFor(files: Record<string, string>): Promise<unknown> {
  const folder = tree({ 'main.js': `import 'lodahs';`, ...files });
  const error: unknown = await bundle({ cwd: folder, entry: join(folder, 'main.js') }).catch(
    (thrown: unknown) => thrown,
  );
  return (error as { hint?: string }).hint;
}

describe('an error', () => {
  test('in code is printed with file, line, column and frame, and the exit code is 1', async () => {
    const folder = tree({
      'src/main.ts': `import { a } from './there.ts';\nimport 'nowhere';\nconst text = 'ünï' + a; import "gone";`,
      'src/there.ts': `export const a = 1;\n\tconst 5x = 2;`,
    });
    const error = await bundle({ entry: join(folder, 'src/main.ts'), cwd: folder }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'build-failed', exit: 1 });
    const { message } = error as Error;
    expect(message).toContain('(3 errors)');
    expect(message).toContain('src/main.ts:2:8: Could not resolve "nowhere"');
    expect(message).toContain(`     2 │ import 'nowhere';\n       ╵        ~~~~~~~~~`);
    expect(message).toContain('src/main.ts:3:32: Could not resolve "gone"');
    expect(message).toMatch(/src\/there\.ts:2:9: .*\n {5}2 │ {3}const 5x = 2;/);
  });

  test('in the UI is printed as well, without control characters', async () => {
    const folder = tree({ 'main.ts': 'import "gone"', 'ui.tsx': `/* \u001b[31m */ import '\\u001b[2Jx';` });
    const building = bundle({ entry: join(folder, 'main.ts'), ui: join(folder, 'ui.tsx') });
    await expect(building).rejects.toMatchObject({ code: 'build-failed', exit: 1 });
    const { message } = (await building.catch((thrown: unknown) => thrown)) as Error;
    expect(message).toContain('main.ts:1:8: ');
    expect(message).toContain('ui.tsx:1:');
    // eslint-disable-next-line no-control-regex
    expect(message).not.toMatch(/\u001b/);
  });

  test('in a long line is printed with a part of the line, and at most ten errors are printed', async () => {
    const bad = `${'x;'.repeat(5000)} import 'a'; ${'y;'.repeat(5000)}`;
    const many = Array.from({ length: 30 }, (_, i) => `import 'gone-${i}';`).join('\n');
    const long = await built({ 'main.js': bad }, {}, 'main.js').catch((thrown: Error) => thrown.message);
    expect(String(long).length).toBeLessThan(1500);
    expect(long).toContain('main.js:1:10009');
    expect(await built({ 'main.js': many }, {}, 'main.js').catch((thrown: Error) => thrown.message)).toContain(
      'and 20 more',
    );
  });

  test('names a package that another one imports, with what to do', async () => {
    const folder = tree({
      'src/main.js': `import 'knex'; import 'broken';`,
      'pnpm-lock.yaml': '',
      'node_modules/knex/package.json': '{ "peerDependenciesMeta": { "mysql": { "optional": true } } }',
      'node_modules/knex/index.js': 'exports.driver = () => require("mysql");',
      'node_modules/broken/package.json': '{ "dependencies": { "dep": "1" } }',
      'node_modules/broken/index.js': 'require("dep");',
    });
    await expect(bundle({ cwd: folder, entry: join(folder, 'src/main.js') })).rejects.toMatchObject({
      code: 'build-failed',
      hint: expect.stringMatching(
        /^The package “dep”, which broken imports, is not installed: run pnpm install in this folder\.\s+The package “mysql”, which knex imports, is not installed: run pnpm add mysql in this folder; or, if the app does not use it, leave it out with --external mysql\.$/,
      ),
    });
  });

  test('gives no command for a package whose name may be misspelled', async () => {
    const unknown = await hintFor({ 'package.json': '{ "dependencies": { "lodash": "4.17.21" } }' });
    expect(unknown).toContain('Check the spelling of its name');
    expect(unknown).not.toMatch(/(install|add) lodahs/);
    expect(await hintFor({ 'package.json': '{ "dependencies": { "lodahs": "1.0.0" } }' })).toContain('run npm install');
    const locked = { 'package.json': '{}', 'package-lock.json': '{ "packages": { "node_modules/lodahs": {} } }' };
    expect(await hintFor(locked)).toContain('run npm install lodahs');
  });

  test.each([
    ['no such entry', { entry: 'gone.ts' }, 'entry-point-missing'],
    ['below a file', { entry: 'main.ts/x.ts' }, 'entry-point-missing'],
    ['no such UI entry', { entry: 'main.ts', ui: 'gone.tsx' }, 'entry-point-missing'],
    ['a file of another kind', { entry: 'style.css' }, 'entry-point-unsupported'],
    ['a folder as UI entry', { entry: 'main.ts', ui: 'folder.ts' }, 'entry-point-unsupported'],
    ['a link to nothing', { entry: 'link.ts' }, 'entry-point-missing'],
  ])('is reported for the entry point: %s', async (_, { entry, ui }: { entry: string; ui?: string }, code) => {
    const folder = tree({ 'main.ts': 'export {}', 'style.css': '', 'folder.ts/x.ts': '' });
    symlinkSync('nothing.ts', join(folder, 'link.ts'));
    const building = bundle({ entry: join(folder, entry), ...(ui && { ui: join(folder, ui) }) });
    await expect(building).rejects.toMatchObject({ code, exit: 2 });
  });

  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'is reported for an unreadable file',
    async () => {
      const folder = tree({ 'main.ts': 'export {}' });
      chmodSync(join(folder, 'main.ts'), 0o200);
      await expect(bundle({ entry: join(folder, 'main.ts') })).rejects.toMatchObject({
        code: 'file-unreadable',
        exit: 2,
      });
    },
  );

  test('or a success leaves no files next to the sources', async () => {
    const folder = tree({ 'main.ts': `import './x.css'; export {}`, 'x.css': 'a{}', 'bad.ts': 'import "gone"' });
    const before = listing(folder);
    await bundle({ entry: join(folder, 'main.ts'), ui: join(folder, 'main.ts'), sourcemap: true });
    await expect(bundle({ entry: join(folder, 'bad.ts') })).rejects.toMatchObject({ code: 'build-failed' });
    expect(listing(folder)).toEqual(before);
  });
});
