import { COMMENT_FORMATS } from '../../../report/options.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { attestOptions } from '../../attestation-options.ts';
import {
  advisoriesOption,
  allowSecretOption,
  allowVersionOptions,
  appOption,
  dryRunOption,
  noticesOption,
  sbomOption,
} from '../../option-groups.ts';

export const releaseCommand = {
  name: 'release',
  executesConfig: true,
  description: 'publish the new versions of all apps of a repository',
  arguments: [],
  options: {
    check: { type: 'boolean', flags: '--check', description: 'only report the state of each app; write nothing' },
    bump: {
      type: 'boolean',
      flags: '--bump',
      description: 'raise the declared version of each app that changed without a new version',
    },
    ...appOption,
    against: {
      type: 'string',
      flags: '--against <git-ref|dir|file|url>',
      description: 'with --check or --bump: compare with this state instead of the store',
      value: 'registry-state',
    },
    jobs: {
      type: 'number',
      flags: '--jobs <n>',
      description: 'apps to build at a time (default: one per processor)',
      range: 'whole',
    },
    ...noticesOption,
    ...sbomOption('also publish a bill of materials beside each artifact'),
    ...attestOptions,
    ...allowSecretOption,
    ...allowVersionOptions,
    allowDirty: {
      type: 'boolean',
      flags: '--allow-dirty',
      description: 'allow sources that are not committed in git',
    },
    ...advisoriesOption,
    ...dryRunOption,
  },
  formats: COMMENT_FORMATS,
  examples: ['release --check', 'release --bump', 'release --check --against origin/main --format markdown', 'release'],
} as const satisfies CommandDefinition;
