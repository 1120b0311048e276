import { RESULT_FORMATS } from '../../report/options.ts';
import { CONFORMANCE_ROLES } from './choices.ts';
import { type CommandDefinition, text } from './command.ts';
import { conformanceOptions } from './option-groups.ts';

export const conformanceCommand = {
  name: 'conformance',
  group: 'other',
  description: 'list the cases that test implementations of the specification',
  arguments: [],
  options: {
    set: conformanceOptions.set,
    role: text('--role <role>', 'only the cases of this role', CONFORMANCE_ROLES),
  },
  formats: RESULT_FORMATS,
  examples: ['conformance', 'conformance --role host'],
} as const satisfies CommandDefinition;
