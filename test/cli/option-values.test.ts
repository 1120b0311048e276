import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { complete } from '../../src/cli/completion/complete.ts';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { flagOf, type OptionDefinition } from '../../src/cli/define/command.ts';
import { isOptionWord } from '../../src/cli/io/option-words.ts';
import { globalOptions } from '../../src/cli/define/option-groups.ts';
import { requestIn } from '../../src/cli/process/failure.ts';
import { buildProgram, parse, type Parsed } from '../../src/cli/program/program.ts';

/** An option whose value is missing does not take the next option as its value. */

function messageOf(parsed: Parsed | null): string {
  return parsed !== null && 'error' in parsed && parsed.error instanceof Error ? parsed.error.message : 'no error';
}

const withValue = (options: readonly OptionDefinition[]): OptionDefinition[] =>
  options.filter(({ type }) => type !== 'boolean');

describe.each(COMMANDS.map(({ definition }) => [definition.name, definition] as const))('%s', (name, definition) => {
  const options = withValue([...Object.values(definition.options), ...Object.values(globalOptions)]);
  test.each(options.map((option) => [flagOf(option), option] as const))('%s', (flag, option) => {
    for (const next of ['--dry-run', '--format', '--unknown', '--x=1', '--', '-V', '-h']) {
      // A repeated option, too.
      for (const before of [[], option.type === 'list' ? [flag, 'rule=off'] : []]) {
        const message = messageOf(parse([...name.split(' '), ...before, flag, next]));
        expect(message).toMatch(new RegExp(`^The value of ${flag} <.+> is missing: “${next}” follows\\.$`));
      }
    }
  });
});

test.each(withValue(Object.values(globalOptions)).map(flagOf))('%s before the command', (flag) => {
  expect(messageOf(parse([flag, '--quiet', 'lint']))).toContain(`The value of ${flag} <`);
  expect(messageOf(parse(['--quiet', flag, '--', 'lint']))).toContain(`The value of ${flag} <`);
});

test.each([
  [['--notes', '-'], '-'],
  [['--notes', '- fixed a bug'], '- fixed a bug'],
  [['--notes', '-fast'], '-fast'],
  [['--notes', '-1'], '-1'],
  [['--notes', ''], ''],
  [['--notes=--dry-run'], '--dry-run'],
  [['--notes=-V'], '-V'],
])('%j has a value', (words, notes) => {
  const parsed = parse(['publish-version', 'hello', '1.1.0', '--artifact', 'a.tar.gz', ...words]);
  expect(parsed).toMatchObject({ options: { notes } });
  expect(parsed).not.toHaveProperty('options.dryRun');
});

test('words after -- are arguments', () => {
  expect(parse(['lint', '--', '--output', '--format'])).toMatchObject({ args: [['--output', '--format']] });
});

test('the message says how to use the word as a value', () => {
  expect(parse(['publish-version', 'a', '1.0.0', '--notes', '--dry-run'])).toMatchObject({
    error: {
      code: 'usage',
      exit: 2,
      hint: expect.stringContaining('write --notes=VALUE'),
    },
  });
});

test('no command has another short option', () => {
  const shortOptions = (command: Command): string[] => [
    ...command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ short }) => short ?? []),
    ...command.commands.flatMap(shortOptions),
  ];
  expect(shortOptions(buildProgram(null)).filter((short) => !isOptionWord(short))).toEqual([]);
});

test('the document of the failed run is not written to a file with the name of an option', () => {
  expect(requestIn(['lint', '--output', '--format', 'json'])).toMatchObject({
    command: 'lint',
    main: { format: 'json', file: null },
  });
});

test('completion offers options and their values after an option without a value', async () => {
  const program = buildProgram(null);
  expect(await complete(program, ['zsh', 'lint', '--output', '--for'])).toMatch(/\n--format\t/);
  expect(await complete(program, ['zsh', 'lint', '--output', '--format', 'js'])).toMatch(/\njson\b/);
  expect(await complete(program, ['zsh', 'lint', '--output', '-'])).toBe('files\n');
});
