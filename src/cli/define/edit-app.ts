import { RESULT_FORMATS } from '../../report/options.ts';
import type { CommandDefinition } from './command.ts';
import { editAppOptions } from './field-options.ts';
import { dryRunOption } from './option-groups.ts';

export const editAppCommand = {
  name: 'edit-app',
  group: 'editing',
  description: 'change what the manifest and the about file say about an app',
  arguments: [{ usage: '<key>', value: 'app-key', prompt: { message: 'Key of the app?' } }],
  options: {
    ...editAppOptions,
    ...dryRunOption,
  },
  formats: RESULT_FORMATS,
  notes:
    'Without options, the command prompts for the name, description, color and icon at a terminal. Values that are not given stay as they are.',
  examples: ['edit-app clock --description "Shows the time in any zone."', 'edit-app clock --icon clock.svg --dry-run'],
} as const satisfies CommandDefinition;
