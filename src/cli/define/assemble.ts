import { RESULT_FORMATS } from '../../report/options.ts';
import { type CommandDefinition, flag, list, text } from './command.ts';
import { dryRunOption } from './option-groups.ts';

export const assembleCommand = {
  name: 'assemble',
  group: 'editing',
  description: 'generate the manifest from apps/<key>/app.json, one per app',
  arguments: [],
  options: {
    remove: list('--remove <key>', 'remove this app from the manifest; repeatable', 'app-key'),
    check: flag('--check', 'only check the folders, without the store; write nothing'),
    against: text(
      '--against <dir|git-ref|file|url>',
      'with --check: also report apps that are listed there but have no folder here',
      'registry-state',
    ),
    ...dryRunOption,
  },
  formats: RESULT_FORMATS,
  examples: ['assemble --dry-run', 'assemble --check --against origin/main'],
} as const satisfies CommandDefinition;
