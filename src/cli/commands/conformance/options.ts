import { ROLES } from '../../../conformance/case.ts';
import { RESULT_FORMATS } from '../../../report/options.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { conformanceOptions } from '../../conformance/options.ts';

export const conformanceCommand = {
  name: 'conformance',
  description: 'list the cases of the conformance kit, which tests implementations of the specification',
  arguments: [],
  options: {
    set: conformanceOptions.set,
    role: { type: 'string', flags: '--role <role>', description: 'only the cases of this role', value: ROLES },
  },
  formats: RESULT_FORMATS,
  examples: ['conformance', 'conformance --role host'],
} as const satisfies CommandDefinition;
