import { RESULT_FORMATS } from '../../report/options.ts';
import type { ArgumentDefinition, CommandDefinition } from './command.ts';

export const policyArgument = {
  usage: '<policy.json>',
  value: 'file',
  prompt: { message: 'Which policy file?', placeholder: 'policy.json' },
} as const satisfies ArgumentDefinition;

export const policyCommand = {
  name: 'policy',
  group: 'other',
  description: 'check the file of a subscription’s policy',
  arguments: [policyArgument],
  options: {},
  formats: RESULT_FORMATS,
  notes: 'docs/operators/policies.md describes the file.',
  examples: ['policy policy.json'],
} as const satisfies CommandDefinition;
