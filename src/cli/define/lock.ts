import { RESULT_FORMATS } from '../../report/options.ts';
import type { CommandDefinition } from './command.ts';
import { readOptions } from './option-groups.ts';

export const lockCommand = {
  name: 'lock',
  group: 'repositories',
  description: 'record published versions in appreg.lock.json',
  arguments: [{ usage: '[where]', value: 'registry-state' }],
  options: readOptions,
  formats: RESULT_FORMATS,
  notes:
    '[where] is a folder, a manifest, a git ref, saved facts or the URL of a live registry. Default: the current folder.',
  examples: ['lock', 'lock https://apps.example.com/registry.json'],
} as const satisfies CommandDefinition;
