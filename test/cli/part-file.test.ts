import { lstatSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPartFile } from '../../src/cli/check/facts-file.ts';
import { folder } from '../support/folders.ts';

test.skipIf(process.platform === 'win32').each(['finish', 'abandon'] as const)(
  'a device is written to, and not replaced: %s',
  (end) => {
    const root = folder();
    const path = join(root, 'facts.json');
    symlinkSync('/dev/null', path);
    const file = openPartFile(path);
    file.write('{}');
    file[end]();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readdirSync(root)).toEqual(['facts.json']);
  },
);

test('facts are not written to a file that is called -', () => {
  const root = folder();
  expect(() => openPartFile(join(root, '-'))).toThrow('Facts cannot be written to stdout');
  expect(readdirSync(root)).toEqual([]);
});
