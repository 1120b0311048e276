import { RESULT_FORMATS } from '../../report/options.ts';
import { buildFlags } from './build-flags.ts';
import { type CommandDefinition, flag, text } from './command.ts';
import { allowSecretOption, loadTestOption, noticesOption, sbomOption } from './option-groups.ts';

export const bundleCommand = {
  name: 'bundle',
  group: 'everyday',
  description: 'build a file, or pack a folder, into a reproducible .tar.gz',
  arguments: [
    {
      usage: '<entry>',
      value: 'file',
      prompt: { message: 'Entry point to build? (a folder is packed as it is)' },
    },
    { usage: '<output>', value: 'archive', prompt: { message: 'Output file?', initial: 'app.tar.gz' } },
  ],
  options: {
    ui: text('--ui <entry>', 'a second entry point, built to ui.js', 'file'),
    ...buildFlags,
    anyContent: flag('--any-content', 'also pack a folder without app.js at its top level'),
    ...loadTestOption,
    ...noticesOption,
    ...sbomOption('also write a bill of materials, <output>.cdx.json'),
    ...allowSecretOption,
  },
  formats: RESULT_FORMATS,
  examples: ['bundle src/main.ts clock-1.0.0.tar.gz'],
} as const satisfies CommandDefinition;
