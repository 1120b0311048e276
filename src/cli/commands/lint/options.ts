import { FORMATS } from '../../../report/options.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { advisoriesOption, baselineOption } from '../../option-groups.ts';

export const lintCommand = {
  name: 'lint',
  executesConfig: true,
  description: 'check files without the network',
  arguments: [{ usage: '[path...]', value: 'file' }],
  options: {
    against: {
      type: 'string',
      flags: '--against <dir|git-ref|file|url>',
      description: 'also report changes to published versions, compared with this state',
      value: 'registry-state',
    },
    ...baselineOption,
    ...advisoriesOption,
    fix: { type: 'boolean', flags: '--fix', description: 'fix what can be fixed automatically' },
  },
  formats: FORMATS,
  examples: ['lint', 'lint --against origin/main'],
} as const satisfies CommandDefinition;
