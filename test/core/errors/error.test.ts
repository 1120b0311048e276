import { message } from '../../../src/core/text/message.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERRORS } from '../../../src/core/errors/codes/index.ts';
import { AppregError, isAppregError } from '../../../src/core/errors/error.ts';
import { pathInRoom, ROOT, roomOf, SOURCES } from '../../support/source-files.ts';

test('the source uses every error code', () => {
  const sources = SOURCES.filter((file) => !file.startsWith('src/core/errors/codes/'))
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .filter((text) => text.includes('AppregError'))
    .join('\n');
  expect(Object.keys(ERRORS).filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
});

test('an error of a write whose hint says to run the command again has advisesRepeat', () => {
  const found = SOURCES.filter((file) => ['store', 'publish'].includes(roomOf(file)))
    .filter((file) => pathInRoom(file) !== 'apply-plan.ts')
    .flatMap((file) => [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(/\brun the (?:same )?command again[^]{0,500}/gi),
    ])
    .map(([text]) => text);
  expect(found.length).toBeGreaterThan(15);
  expect(found.filter((text) => !text.includes('advisesRepeat: true'))).toEqual([]);
});

test('the titles and remedies of errors are short sentences', () => {
  for (const [code, { title, fix }] of Object.entries(ERRORS))
    for (const sentence of [title, fix]) {
      expect(sentence, code).toMatch(/^[A-Z"-].*\.$|^(git|esbuild|appreg) .*\.$/);
      expect(sentence.length, code).toBeLessThan(130);
    }
});

test('an unknown error code does not compile', () => {
  // @ts-expect-error not a code of the table
  expect(new AppregError('made-up', message`Message.`, message`Hint.`).exit).toBe(2);
});

test('the exit code is that of the table, or that of the signal', () => {
  expect(new AppregError('immutable', message`Message.`, message`Hint.`).exit).toBe(1);
  expect(new AppregError('disk-full', message`Message.`, message`Hint.`).exit).toBe(2);
  expect(new AppregError('interrupted', message`Message.`, message`Hint.`, { exit: 143 }).exit).toBe(143);
});

test('with() replaces the given fields, copies the others and sets the cause', () => {
  const error = new AppregError('interrupted', message`First.`, message`Hint.`, { exit: 143, effect: 'unknown' });
  const written = { stored: ['a'], notStored: [], unknown: [] };
  const changed = error.with({ summary: message`Second.`, written });
  expect(changed).toMatchObject({ code: 'interrupted', message: 'Second.', hint: 'Hint.', exit: 143, cause: error });
  expect(changed).toMatchObject({ effect: 'unknown', written, rules: [] });
  expect(isAppregError(changed)).toBe(true);
});

test('the message ends with the state after a failed write', () => {
  const nothing = new AppregError('disk-full', message`The disk is full.`, message`Free some space.`, {
    effect: 'none',
  });
  expect(nothing.message).toBe('The disk is full. Nothing was changed.');
  expect(nothing.with({ hint: message`Other.` }).message).toBe(nothing.message);
  const state = message`Stored: a.json.`;
  expect(nothing.with({ state }).message).toBe('The disk is full. Stored: a.json.');
  expect(new AppregError('disk-full', message`Two\n  lines`, message``, { effect: 'none' }).message).toBe(
    'Two\n  lines\n  Nothing was changed.',
  );
  const unknown = new AppregError('s3-unreachable', message`It broke off.`, message``, { effect: 'unknown' });
  expect(unknown.message).toBe('It broke off.');
});
