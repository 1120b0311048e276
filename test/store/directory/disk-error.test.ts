import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isAppregError } from '../../../src/core/errors/error.ts';
import { diskError } from '../../../src/store/directory/disk-error.ts';
import { folder } from '../../support/folders.ts';

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
}

function hintOf(error: unknown): string {
  return isAppregError(error) ? error.hint : '';
}

test.each(['EPERM', 'EACCES', 'EBUSY'])(
  'a rename that Windows refuses with %s is reported as a file in use',
  (code) => {
    expect(diskError(systemError(code, 'rename'), 'a.json', undefined, undefined, 'win32')).toMatchObject({
      code: 'file-busy',
      message: `Cannot write a.json: another program is using it (${code}). Nothing was changed.`,
    });
  },
);

test.each([
  ['mkdir', 'win32'],
  ['rename', 'linux'],
] as const)('EPERM of %s on %s is reported as a missing permission', (syscall, platform) => {
  expect(diskError(systemError('EPERM', syscall), 'a.json', undefined, undefined, platform)).toMatchObject({
    code: 'permission-denied',
  });
});

test.each(['EACCES', 'EROFS', 'ENOSPC'])('%s names the file as the user knows it, and its folder on disk', (code) => {
  const error = diskError(systemError(code, 'open'), 'apps/a.json', null, join('some', 'apps', 'a.json'));
  expect(error).toMatchObject({
    message: expect.stringContaining(`Cannot read apps/a.json: `),
    hint: expect.stringMatching(/Its folder is /),
  });
  expect((error as { hint: string }).hint.endsWith(` ${resolve('some', 'apps')}`)).toBe(true);
});

test.each(['EACCES', 'EROFS', 'ENOSPC', 'ENAMETOOLONG'])(
  '%s of a file whose folder could not be created names the folder above it that exists',
  (code) => {
    const root = folder();
    const file = join(root, 'apps', 'a', 'icon.svg');
    const hint = hintOf(diskError(systemError(code, 'mkdir'), 'apps/a/icon.svg', { effect: 'none' }, file));
    expect(hint.endsWith(` Its folder would be created in ${root}`)).toBe(true);
  },
);

test.each([
  ['a read', 'EACCES', null],
  ['a missing folder', 'ENOENT', { effect: 'none' }],
  ['a file in place of a folder', 'ENOTDIR', { effect: 'none' }],
] as const)('the error of %s names the folder of the file, although it does not exist', (_, code, outcome) => {
  const file = join(folder(), 'apps', 'a.json');
  const hint = hintOf(diskError(systemError(code, 'open'), 'apps/a.json', outcome, file));
  expect(hint.endsWith(` Its folder is ${dirname(file)}`)).toBe(true);
});
