import { FORMATS } from '../../../report/options.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import {
  advisoriesOption,
  baselineOption,
  checkOptions,
  registryUrlArgument,
  versionsOption,
} from '../../option-groups.ts';

export const verifyCommand = {
  name: 'verify',
  description: 'check a live registry',
  arguments: [registryUrlArgument],
  options: {
    ...versionsOption,
    save: {
      type: 'string',
      flags: '--save <facts.json>',
      description: 'save what was observed, for appreg judge',
      value: 'file',
    },
    cache: {
      type: 'string',
      flags: '--cache <dir>',
      description: 'keep responses in this folder, and only request what may have changed since the last run',
      value: 'folder',
    },
    wait: {
      type: 'string',
      flags: '--wait <duration>',
      description: 'retry until everything is listed and verified, for at most this long, such as 30s, 10m or 1h',
      value: 'any',
    },
    scanContent: {
      type: 'boolean',
      flags: '--scan-content',
      description: 'also search artifacts for secrets and leftovers',
    },
    about: {
      type: 'boolean',
      flags: '--about',
      description: 'also check the about files of apps: notes and retirements',
    },
    eachAddress: {
      type: 'boolean',
      flags: '--each-address',
      description: 'also compare what every address (A, AAAA) of each host serves',
    },
    shard: {
      type: 'string',
      flags: '--shard <i/n>',
      description: 'check part i of n of the apps; appreg judge merges the saved facts',
      value: 'any',
    },
    ...advisoriesOption,
    ...checkOptions,
    ...baselineOption,
  },
  formats: FORMATS,
  examples: [
    'verify https://apps.example.com/registry.json',
    'verify https://apps.example.com/registry.json --app clock --wait 10m',
  ],
} as const satisfies CommandDefinition;
