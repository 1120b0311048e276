import { RESULT_FORMATS } from '../../report/options.ts';
import type { CommandDefinition } from './command.ts';

export const explainCommand = {
  name: 'explain',
  group: 'other',
  description: 'explain a rule or an error code',
  arguments: [
    {
      usage: '<rule>',
      value: 'rule-or-error',
      prompt: { message: 'Which rule or error code?', placeholder: 'cors-missing' },
    },
  ],
  options: {},
  formats: RESULT_FORMATS,
  examples: ['explain cors-missing', 'explain write-conflict --format json'],
} as const satisfies CommandDefinition;
