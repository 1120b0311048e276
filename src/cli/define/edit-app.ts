import { RESULT_FORMATS } from '../../report/options.ts';
import { type CommandDefinition, text } from './command.ts';
import { addAppCommand } from './add-app.ts';

const { name, description, icon, blockColor, metadataUrl, dryRun } = addAppCommand.options;

export const editAppCommand = {
  name: 'edit-app',
  description: 'change what the manifest and the about file say about an app',
  arguments: [{ usage: '<key>', value: 'app-key', prompt: { message: 'Key of the app?' } }],
  options: {
    name: { ...name, description: 'new display name' },
    description: { ...description, description: 'new description, in one sentence' },
    icon: { ...icon, prompt: { message: 'Icon: a PNG or SVG file, or a URL' } },
    blockColor: { ...blockColor, prompt: { message: 'Background color of its blocks (#RRGGBB)' } },
    metadataUrl: { ...metadataUrl, description: 'new URL of its metadata file, which must exist' },
    homepage: text('--homepage <url>', 'its home page, for the about file', 'any'),
    source: text('--source <url>', 'its source code, for the about file', 'any'),
    licence: text('--licence <text>', 'its license, such as MIT, for the about file', 'text'),
    support: text(
      '--support <url>',
      'where users get help, for the about file: a web page, or mailto:<address>',
      'any',
    ),
    dryRun,
  },
  formats: RESULT_FORMATS,
  notes:
    'Without options, the command prompts for the name, description, color and icon at a terminal. Values that are not given stay as they are.',
  examples: ['edit-app clock --description "Shows the time in any zone."', 'edit-app clock --icon clock.svg --dry-run'],
} as const satisfies CommandDefinition;
