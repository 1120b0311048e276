import { expect, test } from 'vitest';
import { flagOf, type OptionDefinition } from '../../../src/cli/define/command.ts';
import { COMMANDS } from '../../../src/cli/commands/index.ts';
import { parse } from '../../../src/cli/program/program.ts';

/** Every option whose value is one of several words. */
const choices = COMMANDS.flatMap(({ definition: { name, options, arguments: declared } }) =>
  Object.values<OptionDefinition>(options).flatMap((option) =>
    'value' in option && typeof option.value !== 'string'
      ? [{ name, flag: flagOf(option), value: option.value, words: [...name.split(' '), ...declared.map(() => 'x')] }]
      : [],
  ),
);

test('there are such options', () => {
  const flags = choices.map(({ name, flag }) => `${name} ${flag}`);
  expect(flags).toEqual(
    expect.arrayContaining([
      'init --host',
      'init --store',
      'init --ci',
      'deprecate --reason',
      'rules --group',
      'service --role',
    ]),
  );
});

test.each(choices)('$name accepts only the choices of $flag', ({ flag, value, words }) => {
  expect(parse([...words, flag, value[0] ?? ''])).not.toHaveProperty('error');
  expect(parse([...words, flag, `${value[0]}x`])).toMatchObject({
    error: {
      code: 'option-invalid',
      exit: 2,
      message: expect.stringMatching(`^Invalid ${flag} “${value[0]}x”. Use one of: ${value.join(', ')}\\.`) as string,
    },
  });
});
