import { RESULT_FORMATS } from '../../report/options.ts';
import { buildFlags } from './build-flags.ts';
import { type CommandDefinition, flag, number, text } from './command.ts';
import {
  alsoLoadTestOption,
  attestOptions,
  allowSecretOption,
  allowPrereleaseOption,
  dryRunOption,
  loadTestOption,
  noticesOption,
  sbomOption,
} from './option-groups.ts';

export const publishVersionCommand = {
  name: 'publish-version',
  group: 'everyday',
  // The artifact is read back from its public URL.
  network: { unless: ['readBack', 'dryRun'] },
  description: 'publish a version of an app: a number, major, minor or patch',
  arguments: [
    { usage: '<app>', value: 'app-key', prompt: { message: 'Which app?' } },
    {
      usage: '<version>',
      value: 'new-version',
      prompt: { message: 'Which version? (a number such as 1.2.0, or major, minor or patch)' },
    },
  ],
  options: {
    artifact: text('--artifact <file>', 'publish this .tar.gz', 'file'),
    entry: text('--entry <file>', 'build this entry point first', 'file'),
    ui: text('--ui <file>', 'with --entry: a second entry point, built to ui.js', 'file'),
    ...buildFlags,
    artifactUrl: text(
      '--artifact-url <url>',
      'publish the artifact that is already served at this URL',
      'artifact-url',
    ),
    anyContent: flag('--any-content', 'also publish an archive without app.js at its top level'),
    notes: text('--notes <text|@file|->', 'release notes in Markdown, for the about file of the app', 'any'),
    notesFrom: text(
      '--notes-from <file>',
      'take the release notes from the section of this version in a changelog',
      'file',
    ),
    ...loadTestOption,
    ...alsoLoadTestOption('--dry-run'),
    ...noticesOption,
    ...sbomOption('also publish a bill of materials beside the artifact'),
    ...attestOptions,
    ...allowSecretOption,
    ...allowPrereleaseOption,
    allowSame: flag('--allow-same', 'allow the bytes of another version of the app under a new number'),
    allowLower: flag('--allow-lower', 'allow a version below the latest one, such as a correction of an older release'),
    ...dryRunOption,
    readBack: flag('--no-read-back', 'do not fetch the artifact from its public URL before listing it'),
    readBackTimeout: number(
      '--read-back-timeout <s>',
      'seconds to wait until that URL serves the artifact (default: s3 30, git 600)',
      'positive',
    ),
  },
  formats: RESULT_FORMATS,
  examples: [
    'publish-version clock 1.0.0 --artifact clock-1.0.0.tar.gz',
    'publish-version clock minor --entry src/main.ts --notes-from CHANGELOG.md',
  ],
} as const satisfies CommandDefinition;
