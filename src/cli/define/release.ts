import { COMMENT_FORMATS } from '../../report/options.ts';
import { type CommandDefinition, flag, list, number, text } from './command.ts';
import {
  alsoLoadTestOption,
  attestOptions,
  allowSecretOption,
  allowPrereleaseOption,
  appOption,
  dryRunOption,
  loadTestOption,
  noticesOption,
  sbomOption,
} from './option-groups.ts';

export const releaseCommand = {
  name: 'release',
  group: 'everyday',
  // Artifacts are read back from their public URLs.
  network: { unless: ['check', 'bump', 'dryRun'] },
  description: 'publish the new versions of all apps of a repository',
  arguments: [],
  options: {
    check: flag('--check', 'only report the state of each app; write nothing'),
    bump: flag('--bump', 'raise the declared version of each app that changed without a new version'),
    ...appOption,
    against: text(
      '--against <git-ref|dir|file|url>',
      'with --check or --bump: compare with this state instead of the store',
      'registry-state',
    ),
    jobs: number('--jobs <n>', 'apps to build at a time (default: one per processor)', 'whole'),
    ...loadTestOption,
    ...alsoLoadTestOption('--check or --dry-run'),
    ...noticesOption,
    ...sbomOption('also publish a bill of materials beside each artifact'),
    ...attestOptions,
    ...allowSecretOption,
    ...allowPrereleaseOption,
    allowSame: list(
      '--allow-same <app>',
      'allow the bytes of another version of this app under a new number; repeatable',
      'app-key',
    ),
    allowDirty: flag('--allow-dirty', 'allow sources that are not committed in git'),
    ...dryRunOption,
  },
  formats: COMMENT_FORMATS,
  examples: ['release --check', 'release --bump', 'release --check --against origin/main --format markdown', 'release'],
} as const satisfies CommandDefinition;
