import { execFileSync } from 'node:child_process';
import { posix, win32 } from 'node:path';
import { expect, test } from 'vitest';
import { quotedPath, shownPath } from '../../../src/cli/io/shown-path.ts';

test.each([
  { path: posix, from: '/home/a', to: '/home/a/b c/d.json', shown: 'b c/d.json' },
  { path: posix, from: '/home/a', to: '/home/b', shown: '../b' },
  { path: win32, from: 'C:\\a', to: 'C:\\a\\apps\\clock\\versions.json', shown: 'apps/clock/versions.json' },
  { path: win32, from: 'C:\\a', to: 'c:\\A\\b', shown: 'b' },
  { path: win32, from: 'C:\\a\\b', to: 'C:\\a', shown: '..' },
  { path: win32, from: 'C:\\a', to: 'D:\\b\\c.json', shown: 'D:/b/c.json' },
  { path: win32, from: 'C:\\a', to: 'C:\\a', shown: '' },
])('shownPath: %#', ({ path, from, to, shown }) => expect(shownPath(from, to, path)).toBe(shown));

test.each([
  { path: 'acme/registry', posix: 'acme/registry', windows: 'acme/registry' },
  { path: 'my registry', posix: `'my registry'`, windows: '"my registry"' },
  { path: 'a$(b);`c`', posix: "'a$(b);`c`'", windows: '"a$(b);`c`"' },
  { path: `it's`, posix: `'it'\\''s'`, windows: `"it's"` },
  { path: '~a', posix: `'~a'`, windows: '"~a"' },
  { path: 'C:\\a', posix: `'C:\\a'`, windows: 'C:\\a' },
])('quotedPath($path) is one word for a shell', ({ path, posix: quoted, windows }) => {
  expect(quotedPath(path, 'linux')).toBe(quoted);
  expect(quotedPath(path, 'win32')).toBe(windows);
});

test.skipIf(process.platform === 'win32')('a shell reads a quoted path as it is', () => {
  for (const path of ['my registry', 'a$(b);`c`', `it's "x"`, '~', '=ls', '*', 'a\\b', 'é'])
    expect(execFileSync('sh', ['-c', `printf %s ${quotedPath(path)}`], { encoding: 'utf8' })).toBe(path);
});
