import { RESULT_FORMATS } from '../../report/options.ts';
import type { CommandDefinition } from './command.ts';
import { addAppOptions } from './field-options.ts';
import { dryRunOption } from './option-groups.ts';

export const addAppCommand = {
  name: 'add-app',
  group: 'everyday',
  description: 'add an app to the manifest, with its metadata file',
  arguments: [
    {
      usage: '<key>',
      value: 'new-app-key',
      prompt: { message: 'Key of the app? (letters, digits, - and _)' },
    },
  ],
  options: {
    ...addAppOptions,
    ...dryRunOption,
  },
  formats: RESULT_FORMATS,
  examples: ['add-app clock --name Clock --description "Shows the time." --icon clock.svg --color "#3b5bdb"'],
} as const satisfies CommandDefinition;
