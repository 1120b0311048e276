import { FORMATS } from '../../report/options.ts';
import { type CommandDefinition, flag, text } from './command.ts';
import { baselineOption, checkOptions, registryUrlArgument, versionsOption } from './option-groups.ts';

export const verifyCommand = {
  name: 'verify',
  group: 'everyday',
  network: 'always',
  description: 'check a live registry',
  arguments: [registryUrlArgument],
  options: {
    ...versionsOption,
    save: text('--save <facts.json>', 'save what was observed, for appreg judge', 'file'),
    cache: text(
      '--cache <dir>',
      'keep responses in this folder, and only request what may have changed since the last run',
      'folder',
    ),
    wait: text(
      '--wait <duration>',
      'retry until everything is listed and verified, for at most this long, such as 30s, 10m or 1h',
      'any',
    ),
    scanContent: flag('--scan-content', 'also search artifacts for secrets and leftovers'),
    about: flag('--about', 'also check the about files of apps: notes and retirements'),
    eachAddress: flag(
      '--each-address',
      'also compare what every address (A, AAAA) of each host serves: JSON files, and the newest artifact of each app',
    ),
    shard: text('--shard <i/n>', 'check part i of n of the apps; appreg judge merges the saved facts', 'any'),
    ...checkOptions,
    ...baselineOption,
  },
  formats: FORMATS,
  examples: [
    'verify https://apps.example.com/registry.json',
    'verify https://apps.example.com/registry.json --app clock --wait 10m',
  ],
} as const satisfies CommandDefinition;
