import { expect, test } from 'vitest';
import { checkNames } from '../../src/bundle/names.ts';

test.each([
  [['a', 'a/b'], 'a is a file, but a/b needs a folder of that name.'],
  [['lib/x', 'LIB'], 'LIB is a file, but lib/x needs a folder of that name.'],
  [['a.js', 'a.js'], 'Two files of the archive would have the name a.js.'],
  [
    ['a.js', 'A.js'],
    'a.js and A.js cannot both be unpacked on every system: their names differ only in case or Unicode normalization.',
  ],
])('the names %j are refused with the reason', (paths, message) => {
  expect(() => checkNames(paths)).toThrow(expect.objectContaining({ code: 'bundle-name-collision', message }));
});
