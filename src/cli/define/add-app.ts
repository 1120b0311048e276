import { RESULT_FORMATS } from '../../report/options.ts';
import { type CommandDefinition, text } from './command.ts';
import { dryRunOption } from './option-groups.ts';

export const addAppCommand = {
  name: 'add-app',
  description: 'add an app to the manifest, with its metadata file',
  arguments: [
    {
      usage: '<key>',
      value: 'new-app-key',
      prompt: { message: 'Key of the app? (letters, digits, - and _)' },
    },
  ],
  options: {
    name: text('--name <name>', 'display name', 'text', { message: 'Display name?' }),
    description: text('--description <text>', 'what the app does, in one sentence', 'text', {
      message: 'What does it do, in one sentence?',
    }),
    icon: text('--icon <file|url>', 'PNG or SVG; a file is checked and copied', 'icon', {
      message: 'Icon: a PNG or SVG file, or a URL (empty: generated from the first letter)',
      placeholder: 'icon.svg',
    }),
    // Not `color`, which is what --no-color sets.
    blockColor: text('--color <#RRGGBB>', 'background color of its blocks', 'color', {
      message: 'Background color of its blocks (#RRGGBB)',
      initial: '#3b5bdb',
    }),
    metadataUrl: text('--metadata-url <url>', 'URL of its metadata file, if that is not in this workspace', 'any'),
    ...dryRunOption,
  },
  formats: RESULT_FORMATS,
  examples: ['add-app clock --name Clock --description "Shows the time." --icon clock.svg --color "#3b5bdb"'],
} as const satisfies CommandDefinition;
