import { FORMATS } from '../../report/options.ts';
import { type CommandDefinition, flag, text } from './command.ts';
import { baselineOption } from './option-groups.ts';

export const lintCommand = {
  name: 'lint',
  group: 'everyday',
  description: 'check files without the network',
  arguments: [{ usage: '[path...]', value: 'file' }],
  options: {
    against: text(
      '--against <dir|git-ref|file|url>',
      'also report changes to published versions, compared with this state',
      'registry-state',
    ),
    ...baselineOption,
    fix: flag('--fix', 'fix what can be fixed automatically'),
  },
  formats: FORMATS,
  examples: ['lint', 'lint --against origin/main'],
} as const satisfies CommandDefinition;
