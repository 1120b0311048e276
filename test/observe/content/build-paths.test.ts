import { describe, expect, test } from 'vitest';
import { inlineMap, scan } from './scan-support.ts';

/** Paths of the build machine: those of its own folders, where they are known, and the sources of source maps. */

const HOME = '/home/kim';
const WORK = '/srv/ci/clock';
const WINDOWS = 'C:\\Users\\kim';

describe('a path below a folder of this machine', () => {
  test.each([
    ['/home/kim/work/clock/src/main.ts', HOME],
    ['file:///home/kim/clock/dist/app.js', HOME],
    ['/srv/ci/clock/lib/x', WORK],
    ['C:\\\\Users\\\\kim\\\\clock\\\\src\\\\main.ts', WINDOWS],
    ['c:/Users/kim/clock/main.ts', WINDOWS],
  ])('%s', async (path, folder) => {
    const files = { 'app.js': `\nconst f = "${path}";\n` };
    const { buildPaths } = await scan(files, { folders: [HOME, WORK, WINDOWS] });
    expect(buildPaths).toEqual([{ entry: 'app.js', line: 2, folder }]);
    // Where the build machine is unknown, a text is not its path.
    expect((await scan(files)).buildPaths).toEqual([]);
  });

  test('names the innermost folder', async () => {
    const { buildPaths } = await scan(
      { 'app.js': '"/home/kim/clock/main.ts"' },
      { folders: [HOME, '/home/kim/clock', '/home/kim'] },
    );
    expect(buildPaths).toEqual([{ entry: 'app.js', line: 1, folder: '/home/kim/clock' }]);
  });

  test('in the sources of a map', async () => {
    const code = inlineMap({ sources: ['a.ts'], sourcesContent: [`open("${WORK}/x.json")`] });
    expect((await scan({ 'app.js': code }, { folders: [WORK] })).buildPaths).toMatchObject([{ folder: WORK }]);
  });
});

test.each([
  'https://flows.net/home/kim/src/main.ts',
  './home/kim/src/main.ts',
  '/home/kimberly/src/main.ts',
  '/home/kim',
  '/home/pi/node_modules/onoff/onoff.js',
  '/Users/someone/project/src/index.ts',
  '/builds/group/clock/src/main.ts',
  '/root/app/src/main.ts',
  '/tmp/x/main.ts',
  'D:\\\\Users\\\\kim\\\\x.ts',
])('not a path of this machine: %s', async (path) => {
  const code = `const f = "${path}";\n// See ${path}\n/** ${path} */\n`;
  expect((await scan({ 'app.js': code }, { folders: [HOME, WINDOWS, '/tmp', '/root'] })).buildPaths).toEqual([]);
});

describe('sources of a source map', () => {
  const MAP = { version: 3, names: [], mappings: '' };

  test.each([
    ['/home/kim/clock/src/main.ts', HOME],
    ['/builds/group/clock/src/main.ts', '/builds/group'],
    ['file:///Users/kim/clock/main.ts', '/Users/kim'],
    ['C:\\Users\\kim\\clock\\main.ts', WINDOWS],
    ['file:///C:/Users/kim/clock/main.ts', 'C:/Users/kim'],
  ])('%s', async (source, folder) => {
    const map = { ...MAP, sources: ['main.ts', source], sourcesContent: [null, 'let a;'] };
    const inline = await scan({ 'app.js': `a;\n${inlineMap(map)}` });
    expect(inline.buildPaths).toEqual([{ entry: 'app.js', line: 2, folder }]);
    // The order of the members is not fixed, and a map may be a file of its own.
    const { version, ...rest } = map;
    for (const size of [1, 7, 64 * 1024]) {
      const separate = await scan({ 'app.js.map': JSON.stringify({ ...rest, version }) }, { size });
      expect(separate.buildPaths).toEqual([{ entry: 'app.js.map', line: 1, folder }]);
    }
  });

  test('a folder of all sources', async () => {
    const map = { ...MAP, sourceRoot: '/home/kim/clock', sources: ['main.ts'] };
    expect((await scan({ 'app.js': inlineMap(map) })).buildPaths).toMatchObject([{ folder: HOME }]);
  });

  test.each([
    'main.ts',
    '../src/main.ts',
    'webpack:///./src/main.ts',
    'webpack://clock/home/kim/main.ts',
    'https://flows.net/home/kim/main.ts',
    '/main.ts',
    '/src/main.ts',
    'node_modules/pkg/index.js',
  ])('relative: %s', async (source) => {
    const map = { ...MAP, sources: [source], sourcesContent: ['"sources": ["/home/pi/x/y.ts"]'] };
    expect((await scan({ 'app.js': inlineMap(map) })).buildPaths).toEqual([]);
  });

  test('what only resembles a map', async () => {
    const files = {
      'a.js.map': '{"sources": ["/home/pi',
      'b.js': inlineMap([['sources', '/home/kim/x.ts']]),
      'c.map': '',
    };
    expect((await scan(files)).buildPaths).toEqual([]);
  });
});
