import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPartFile } from '../../../src/cli/check/facts-file.ts';
import { folder } from '../../support/folders.ts';

test('a part file has its final path once it is complete', () => {
  const root = folder();
  const file = openPartFile(join(root, 'facts.json'));
  file.write('{}');
  expect(readdirSync(root)).not.toContain('facts.json');
  file.finish();
  expect(readdirSync(root)).toEqual(['facts.json']);
  expect(readFileSync(join(root, 'facts.json'), 'utf8')).toBe('{}');
});

test('a part file in a folder that does not exist is an error that names the final path only', () => {
  const path = join(folder(), 'missing/facts.json');
  expect(() => openPartFile(path)).toThrow(`The facts cannot be saved as ${path}: its folder does not exist.`);
});

test('a part file with the name of a folder is an error before anything is written', () => {
  const path = folder({ file: 'x' });
  expect(() => openPartFile(path)).toThrow(`The facts cannot be saved as ${path}: it is a folder.`);
});

test('a part file that cannot be renamed is an error, and is removed', () => {
  const root = folder();
  const file = openPartFile(join(root, 'facts.json'));
  mkdirSync(join(root, 'facts.json'));
  expect(() => file.finish()).toThrow(`The facts cannot be saved as ${join(root, 'facts.json')}: `);
  expect(readdirSync(root)).toEqual(['facts.json']);
  file.abandon();
});

test.skipIf(process.platform === 'win32')('a part file below a file is an error with the reason of the system', () => {
  const path = join(folder({ file: 'x' }), 'file/facts.json');
  expect(() => openPartFile(path)).toThrow(`The facts cannot be saved as ${path}: ENOTDIR: not a directory.`);
});
