import { COMMENT_FORMATS } from '../../report/options.ts';
import type { CommandDefinition } from './command.ts';
import { readOptions } from './option-groups.ts';

export const diffCommand = {
  name: 'diff',
  group: 'repositories',
  description: 'show what would change for subscribers between two states',
  arguments: [
    {
      usage: '<before>',
      value: 'registry-state',
      prompt: { message: 'Compare with which state? (a folder, a git ref, a file or a URL)' },
    },
    { usage: '[after]', value: 'registry-state' },
  ],
  options: readOptions,
  formats: COMMENT_FORMATS,
  notes:
    'Each state is a folder, a manifest, a git ref, saved facts or the URL of a live registry. [after] is by default the current folder.',
  examples: ['diff origin/main', 'diff https://apps.example.com/registry.json .'],
} as const satisfies CommandDefinition;
