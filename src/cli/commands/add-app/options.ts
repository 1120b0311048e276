import { RESULT_FORMATS } from '../../../report/options.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { dryRunOption } from '../../option-groups.ts';

export const addAppCommand = {
  name: 'add-app',
  executesConfig: true,
  description: 'add an app to the manifest, with its metadata file',
  arguments: [
    {
      usage: '<key>',
      value: 'new-app-key',
      prompt: { message: 'Key of the app? (letters, digits, - and _)' },
    },
  ],
  options: {
    name: {
      type: 'string',
      flags: '--name <name>',
      description: 'display name',
      value: 'text',
      prompt: { message: 'Display name?' },
    },
    description: {
      type: 'string',
      flags: '--description <text>',
      description: 'what the app does, in one sentence',
      value: 'text',
      prompt: { message: 'What does it do, in one sentence?' },
    },
    icon: {
      type: 'string',
      flags: '--icon <file|url>',
      description: 'PNG or SVG; a file is checked and copied',
      value: 'icon',
      prompt: {
        message: 'Icon: a PNG or SVG file, or a URL (empty: generated from the first letter)',
        placeholder: 'icon.svg',
      },
    },
    // Not `color`, which is what --no-color sets.
    blockColor: {
      type: 'string',
      flags: '--color <#RRGGBB>',
      description: 'background color of its blocks',
      value: 'color',
      prompt: { message: 'Background color of its blocks (#RRGGBB)', initial: '#3b5bdb' },
    },
    metadataUrl: {
      type: 'string',
      flags: '--metadata-url <url>',
      description: 'URL of its metadata file, if that is not in this workspace',
      value: 'any',
    },
    ...dryRunOption,
  },
  formats: RESULT_FORMATS,
  examples: ['add-app clock --name Clock --description "Shows the time." --icon clock.svg --color "#3b5bdb"'],
} as const satisfies CommandDefinition;
