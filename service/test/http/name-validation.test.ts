import { expect, test } from 'vitest';
import { rules } from '../../../src/core/rules/index.ts';
import { nameError } from '../../src/domain/fields.ts';
import { hiddenReason } from '../../src/domain/apps.ts';

test.each([
  'Acme',
  'École 42',
  'アプリ',
  '👩‍💻 apps',
  ' padded ',
  'نام‌ها',
  'x'.repeat(100),
  '😀'.repeat(100),
  '__proto__',
])('the name %s is valid', (name) => expect(nameError(name)).toBeNull());

test.each([
  ['', 'empty'],
  [' \u200b\u3164', 'empty'],
  ['x'.repeat(101), 'longer'],
  ['a\0b', 'invisible characters'],
  ['a\nb', 'invisible characters'],
  ['a\u001b[2J', 'invisible characters'],
  ['a\u202eb', 'invisible characters'],
  ['a\ud800b', 'invisible characters'],
])('the name %j is invalid: %s', (name, why) => expect(nameError(name)).toContain(why));

test('every rule that hides an app has its own reason text', () => {
  for (const { id, why } of rules.filter(({ hidesApp: hides }) => hides)) {
    const { code, message } = hiddenReason(id);
    expect(code).toBe(id);
    expect(message).toMatch(/^(Its|The URL|The address|The certificate) /);
    expect(message).not.toBe(why);
  }
  expect(hiddenReason('rate-limited').message).toBe(`${rules.find(({ id }) => id === 'rate-limited')!.title}.`);
  expect(hiddenReason('rule-of-tomorrow').message).toMatch(/report/);
});
