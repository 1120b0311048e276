import { RESULT_FORMATS } from '../../../report/options.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { dryRunOption } from '../../option-groups.ts';

export const assembleCommand = {
  name: 'assemble',
  executesConfig: true,
  description: 'generate the manifest from apps/<key>/app.json, one file per app',
  arguments: [],
  options: {
    remove: {
      type: 'list',
      flags: '--remove <key>',
      description: 'remove this app from the manifest; repeatable',
      value: 'app-key',
    },
    check: {
      type: 'boolean',
      flags: '--check',
      description: 'only check the folders, without the store; write nothing',
    },
    against: {
      type: 'string',
      flags: '--against <dir|git-ref|file|url>',
      description: 'with --check: also report apps that are listed there but have no folder here',
      value: 'registry-state',
    },
    ...dryRunOption,
  },
  formats: RESULT_FORMATS,
  examples: ['assemble --dry-run', 'assemble --check --against origin/main'],
} as const satisfies CommandDefinition;
