import { RESULT_FORMATS } from '../../../report/options.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { allowSecretOption, noticesOption, sbomOption } from '../../option-groups.ts';

export const bundleCommand = {
  name: 'bundle',
  executesConfig: true,
  description: 'build an entry point, or pack a folder, into a reproducible .tar.gz',
  arguments: [
    {
      usage: '<entry>',
      value: 'file',
      prompt: { message: 'Entry point to build? (a folder is packed as it is)' },
    },
    { usage: '<output>', value: 'archive', prompt: { message: 'Output file?', initial: 'app.tar.gz' } },
  ],
  options: {
    ui: { type: 'string', flags: '--ui <entry>', description: 'a second entry point, built to ui.js', value: 'file' },
    external: {
      type: 'list',
      flags: '--external <name>',
      description: 'leave a package out of the bundle; repeatable',
      value: 'any',
    },
    include: {
      type: 'list',
      flags: '--include <glob>',
      description: 'add files to the archive; repeatable',
      value: 'any',
    },
    target: {
      type: 'string',
      flags: '--target <target>',
      description: 'runtime to compile for (default: node22)',
      value: 'any',
    },
    minify: { type: 'boolean', flags: '--minify', description: 'minify the code' },
    sourcemap: { type: 'boolean', flags: '--sourcemap', description: 'embed the source map in the code' },
    anyContent: {
      type: 'boolean',
      flags: '--any-content',
      description: 'also pack a folder without app.js at its top level',
    },
    ...noticesOption,
    ...sbomOption('also write a bill of materials, <output>.cdx.json'),
    ...allowSecretOption,
  },
  formats: RESULT_FORMATS,
  examples: ['bundle src/main.ts clock-1.0.0.tar.gz'],
} as const satisfies CommandDefinition;
