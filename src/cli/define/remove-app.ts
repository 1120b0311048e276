import { RESULT_FORMATS } from '../../report/options.ts';
import type { CommandDefinition } from './command.ts';
import { dryRunOption } from './option-groups.ts';

export const removeAppCommand = {
  name: 'remove-app',
  group: 'editing',
  description: 'remove an app from the manifest; its files stay',
  arguments: [{ usage: '<key>', value: 'app-key', prompt: { message: 'Key of the app to remove?' } }],
  options: dryRunOption,
  formats: RESULT_FORMATS,
  notes:
    'Asks for confirmation at a terminal; elsewhere --yes is required. The metadata file, the icon and the artifacts stay.',
  examples: ['remove-app clock --dry-run', 'remove-app clock --yes'],
} as const satisfies CommandDefinition;
