import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppregError } from '../../../src/core/errors/error.ts';
import { joined, message, safe, type SafeText } from '../../../src/core/text/message.ts';
import { hasUnprintable } from '../../../src/core/text/text.ts';
import { HOSTILE, rawIn, SECRETS } from '../../support/hostile-values.ts';
import { runs } from '../../support/property-runs.ts';

describe('what a message inserts', () => {
  test.each(HOSTILE)('%j is escaped', (value) => {
    expect(rawIn(message`The file ${value} is missing.`)).toEqual([]);
    expect(rawIn(message`${value}`)).toEqual([]);
  });

  test.each(SECRETS)('the secret of %s is hidden', (value) => {
    expect(rawIn(message`${value} cannot be reached.`)).toEqual([]);
  });

  test('text without such characters is unchanged, as are numbers and the text of the template', () => {
    const count: number = 3;
    expect(message`${'a b/ü-“c”.json'}: ${count} errors,\n  ${true}`).toBe('a b/ü-“c”.json: 3 errors,\n  true');
  });

  test('the text of the template is no secret and no command', () => {
    expect(message`Use basic authentication: ?token=<token>`).toBe('Use basic authentication: ?token=<token>');
  });

  test('a long value is shortened, without its text being searched', () => {
    expect(message`“${'x'.repeat(10_000_000)}”`).toBe(`“${'x'.repeat(999)}…”`);
  });

  test('a command in two parts is escaped', () => {
    expect(rawIn(message`#${'#[group]'}`)).toEqual([]);
    expect(rawIn(message`${'#'}${'#vso[task.setvariable]'}`)).toEqual([]);
  });

  test('any text is on one line, and inserted again it is unchanged', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...HOSTILE, ...SECRETS.map(([, value]) => value)),
    );
    fc.assert(
      fc.property(text, text, (one, other) => {
        const made = message`${one}: ${other}`;
        expect(hasUnprintable(made)).toBe(false);
        expect(message`${safe(made)}`).toBe(made);
        const string: string = message`${one}`;
        if (string.length < 1000) expect(message`${string}`).toBe(string);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('safe text in a message', () => {
  test('is inserted unchanged, with its line breaks', () => {
    const lines = joined([message`a`, message`${'b\n'}`], '\n');
    expect(message`Two:\n${safe(lines)}`).toBe('Two:\na\nb\\u{a}');
    expect(message`${safe('')}.`).toBe('.');
  });
});

test('errors accept only text that `message` made', () => {
  const name: string = 'a\nb';
  // @ts-expect-error a text of any origin
  expect(new AppregError('not-a-file', `${name} is a folder.`, message`Remove it.`).message).toContain(name);
  // @ts-expect-error a text without inserted values also uses the tag, so that a value cannot be added without it
  expect(new AppregError('not-a-file', message`x`, 'Remove it.').hint).toBe('Remove it.');
  const made: SafeText = message`x`;
  // @ts-expect-error safe text is inserted with `safe`, and not processed twice
  expect(message`${made}`).toBe('x');
  // @ts-expect-error a value that may be absent
  expect(message`${null}`).toBe('null');
});
