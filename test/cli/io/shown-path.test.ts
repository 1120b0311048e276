import { posix, win32 } from 'node:path';
import { expect, test } from 'vitest';
import { quotedPath, shownPath } from '../../../src/cli/io/shown-path.ts';

test.each([
  [posix, '/home/a', '/home/a/b c/d.json', 'b c/d.json'],
  [posix, '/home/a', '/home/b', '../b'],
  [win32, 'C:\\a', 'C:\\a\\apps\\clock\\versions.json', 'apps/clock/versions.json'],
  [win32, 'C:\\a', 'c:\\A\\b', 'b'],
  [win32, 'C:\\a\\b', 'C:\\a', '..'],
  [win32, 'C:\\a', 'D:\\b\\c.json', 'D:/b/c.json'],
  [win32, 'C:\\a', 'C:\\a', ''],
])('shownPath: %#', (path, from, to, shown) => expect(shownPath(from, to, path)).toBe(shown));

test('quoted() quotes only words that a shell would split', () => {
  expect(quotedPath('acme/registry')).toBe('acme/registry');
  expect(quotedPath('my registry')).toBe('"my registry"');
});
