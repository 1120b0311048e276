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

test('quoted() quotes only words that a shell would split', () => {
  expect(quotedPath('acme/registry')).toBe('acme/registry');
  expect(quotedPath('my registry')).toBe('"my registry"');
});
