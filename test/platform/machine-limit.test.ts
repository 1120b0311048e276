import { expect, test } from 'vitest';
import { withoutSystemError } from '../../src/cli/io/failed-run.ts';
import { isMachineLimit, machineLimitAdvice, machineLimitText } from '../../src/core/errors/machine-limit.ts';
import { fileLimitError, machineLimitCode } from '../../src/platform/machine-limit.ts';
import { whyUnreadable } from '../../src/platform/regular-file.ts';
import { limitReached } from '../../src/store/s3/request-errors.ts';

const system = (code: string): Error => Object.assign(new Error(code), { code, syscall: 'open', path: '/w/x.json' });

/** The codes of this machine, and what each advice is about. */
test.each([
  ['EMFILE', 'too-many-open-files', /ulimit -n/],
  ['ENFILE', 'too-many-open-files', /limit of the system/],
  ['ENOMEM', 'machine-limit', /Close other programs/],
  ['ENOBUFS', 'machine-limit', /Close other programs/],
  ['EADDRNOTAVAIL', 'machine-limit', /ports/],
  ['ENETDOWN', 'machine-limit', /network/],
])('%s is a fault of this machine: exit 2, with advice about it', (code, known, advice) => {
  expect(isMachineLimit(code)).toBe(true);
  expect(machineLimitText(code)).toContain(`(${code})`);
  expect(machineLimitAdvice(code)).toMatch(advice);
  const expected = { code: known, exit: 2, hint: expect.stringMatching(advice) as string };
  expect(fileLimitError('/w/x.json', system(code))).toMatchObject(expected);
  expect(withoutSystemError(system(code))).toMatchObject(expected);
  expect(() => whyUnreadable('/w/x.json', system(code))).toThrow(expect.objectContaining(expected) as Error);
  expect(machineLimitCode(new TypeError('fetch failed', { cause: system(code) }))).toBe(code);
  expect(machineLimitCode(new AggregateError([system('ECONNREFUSED'), system(code)]))).toBe(code);
  expect(limitReached('https://s3.test/b/', true, system(code))).toMatchObject({ ...expected, effect: 'unknown' });
});

test.each(['ENOENT', 'EACCES', 'EIO', 'ENOSPC', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'ECONNREFUSED'])(
  '%s is about the file or the host',
  (code) => {
    expect(isMachineLimit(code)).toBe(false);
    expect(fileLimitError('/w/x.json', system(code))).toBeNull();
    expect(machineLimitCode(system(code))).toBeNull();
  },
);
