import nodePath from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { shownPath } from '../../src/bundle/shown-path.ts';

/** The same sources, on a system with other paths. */

const { posix, win32 } = nodePath;
const FILES: Record<string, string> = {
  'app/src/main.ts': 'export const app = 1;',
  'app/src/lib/a.ts': 'export {}',
  'app/node_modules/dep/index.js': 'module.exports = 1;',
  'app/node_modules/dep/node_modules/c/i.js': 'module.exports = 2;',
  'app/tsconfig.json': '{ "extends": "../base.json" }',
  'base.json': '{}',
};
const INPUTS = [
  'main.ts',
  'lib/a.ts',
  '../node_modules/dep/index.js',
  '../node_modules/dep/node_modules/c/i.js',
  '<runtime>',
];

beforeEach(() => vi.resetModules());

/** The digest of the sources below a root, with the paths of a system. */
async function digestOn(path: typeof posix, root: string): Promise<{ sources: string; read: string[] }> {
  const read: string[] = [];
  const textAt = (file: string): string | undefined => FILES[path.relative(root, file).split(path.sep).join('/')];
  vi.doMock('node:path', () => ({ ...path, default: path }));
  vi.doMock('node:fs', () => ({ existsSync: (file: string) => textAt(file) !== undefined }));
  vi.doMock('../../src/platform/regular-file.ts', () => ({
    readRegularFile(file: string) {
      read.push(path.relative(root, file).split(path.sep).join('/'));
      const text = textAt(file);
      return text === undefined ? { missing: 'none' } : { bytes: Buffer.from(text) };
    },
  }));
  const { provenanceOf } = await import('../../src/bundle/sources.ts');
  const trace = {
    output: 'app' as const,
    folder: path.join(root, 'app', 'src'),
    inputs: new Map(INPUTS.map((input) => [input, []])),
    external: new Map(),
    bundled: new Set(INPUTS),
    version: '0',
  };
  const { sources } = provenanceOf([trace], [], null, { entry: path.join(root, 'app', 'src', 'main.ts') });
  return { sources, read };
}

test('the digest of the sources is the same with the paths of Windows', async () => {
  const unix = await digestOn(posix, '/home/vendor');
  vi.resetModules();
  const windows = await digestOn(win32, 'D:\\work\\vendor');
  expect(windows.sources).toBe(unix.sources);
  for (const { read } of [unix, windows]) expect(new Set(read)).toEqual(new Set(Object.keys(FILES)));
});

test.each([
  [posix, '/a/b/c.ts', '/a', 'b/c.ts'],
  [posix, '/x/c.ts', '/a', '/x/c.ts'],
  [win32, 'C:\\a\\b\\c.ts', 'C:\\a', 'b/c.ts'],
  [win32, 'C:\\x\\c.ts', 'C:\\a', 'C:\\x\\c.ts'],
  [win32, 'D:\\a\\c.ts', 'C:\\a', 'D:\\a\\c.ts'],
])('a path in a message (%#)', (path, file, cwd, shown) => expect(shownPath(file, cwd, path)).toBe(shown));
