import { expect, test } from 'vitest';
import { diskError } from '../../../src/store/directory/disk-error.ts';

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
}

test.each(['EPERM', 'EACCES', 'EBUSY'])(
  'a rename that Windows refuses with %s is reported as a file in use',
  (code) => {
    expect(diskError(systemError(code, 'rename'), 'a.json', undefined, 'win32')).toMatchObject({
      code: 'file-busy',
      message: `Cannot write a.json: another program is using it (${code}). Nothing was changed.`,
    });
  },
);

test.each([
  ['mkdir', 'win32'],
  ['rename', 'linux'],
] as const)('EPERM of %s on %s is reported as a missing permission', (syscall, platform) => {
  expect(diskError(systemError('EPERM', syscall), 'a.json', undefined, platform)).toMatchObject({
    code: 'permission-denied',
  });
});
