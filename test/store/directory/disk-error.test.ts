import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { diskError } from '../../../src/store/directory/disk-error.ts';

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
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
