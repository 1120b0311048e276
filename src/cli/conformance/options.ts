import type { OptionDefinitions } from '../command-definition.ts';

/** Options of the conformance kit. */

/** For the commands that test an implementation. */
export const conformanceOptions = {
  set: {
    type: 'number',
    flags: '--set <n>',
    description: 'the frozen set of cases (default: the latest)',
    range: 'whole',
  },
  only: { type: 'list', flags: '--only <id>', description: 'only this case; repeatable', value: 'any' },
  expected: {
    type: 'string',
    flags: '--expected <file>',
    description: 'cases that are expected to fail, with reasons (JSON)',
    value: 'file',
  },
  implementation: {
    type: 'string',
    flags: '--name <name>',
    description: 'the name of the implementation, for the results',
    value: 'text',
  },
} as const satisfies OptionDefinitions;

/** @param what the command is, as the help says it */
export function implementationOption(what: string) {
  return {
    command: { type: 'string', flags: '--command <program>', description: what, value: 'any' },
  } as const satisfies OptionDefinitions;
}
