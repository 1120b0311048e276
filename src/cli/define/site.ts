import { RESULT_FORMATS } from '../../report/options.ts';
import { type CommandDefinition, flag, text } from './command.ts';
import { dryRunOption, readOptions } from './option-groups.ts';

export const siteCommand = {
  name: 'site',
  group: 'repositories',
  description: 'generate a static catalogue of apps, with feeds and badges',
  arguments: [{ usage: '<dir>', value: 'folder', prompt: { message: 'Into which folder?', placeholder: 'site' } }],
  options: {
    from: text(
      '--from <where>',
      'a folder, a manifest, a git ref, saved facts or the URL of a live registry (default: this folder)',
      'registry-state',
    ),
    baseUrl: text('--base-url <url>', 'the URL that the site will be served at, for links in feeds', 'base-url'),
    title: text('--title <text>', 'the name of the catalogue', 'text'),
    check: flag('--check', 'only report whether the site is up to date; exit with 1 if it is not'),
    ...dryRunOption,
    ...readOptions,
  },
  formats: RESULT_FORMATS,
  notes:
    'Files that did not change are not written. Only files that an earlier run wrote are replaced or deleted; appreg-site.json lists them.',
  examples: ['site site', 'site public --from https://apps.example.com/registry.json', 'site site --check'],
} as const satisfies CommandDefinition;
