import { RESULT_FORMATS } from '../../../report/options.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { attestOptions } from '../../attestation-options.ts';
import {
  allowSecretOption,
  allowVersionOptions,
  dryRunOption,
  noticesOption,
  sbomOption,
} from '../../option-groups.ts';

export const publishVersionCommand = {
  name: 'publish-version',
  executesConfig: true,
  description: 'publish a version of an app: a number, or major, minor or patch',
  arguments: [
    { usage: '<app>', value: 'app-key', prompt: { message: 'Which app?' } },
    {
      usage: '<version>',
      value: 'new-version',
      prompt: { message: 'Which version? (a number such as 1.2.0, or major, minor or patch)' },
    },
  ],
  options: {
    artifact: {
      type: 'string',
      flags: '--artifact <file>',
      description: 'publish this .tar.gz',
      value: 'file',
    },
    entry: { type: 'string', flags: '--entry <file>', description: 'build this entry point first', value: 'file' },
    ui: {
      type: 'string',
      flags: '--ui <file>',
      description: 'with --entry: a second entry point, built to ui.js',
      value: 'file',
    },
    artifactUrl: {
      type: 'string',
      flags: '--artifact-url <url>',
      description: 'publish the artifact that is already served at this URL',
      value: 'any',
    },
    anyContent: {
      type: 'boolean',
      flags: '--any-content',
      description: 'also publish an archive without app.js at its top level',
    },
    notes: {
      type: 'string',
      flags: '--notes <text|@file|->',
      description: 'release notes in Markdown, for the about file of the app',
      value: 'any',
    },
    notesFrom: {
      type: 'string',
      flags: '--notes-from <file>',
      description: 'take the release notes from the section of this version in a changelog',
      value: 'file',
    },
    ...noticesOption,
    ...sbomOption('also publish a bill of materials beside the artifact'),
    ...attestOptions,
    ...allowSecretOption,
    ...allowVersionOptions,
    allowLower: {
      type: 'boolean',
      flags: '--allow-lower',
      description: 'allow a version below the latest one, such as a correction of an older release',
    },
    ...dryRunOption,
    readBack: {
      type: 'boolean',
      flags: '--no-read-back',
      description: 'do not fetch the artifact from its public URL before listing it',
    },
    readBackTimeout: {
      type: 'number',
      flags: '--read-back-timeout <s>',
      description: 'seconds to wait until that URL serves the artifact (default: s3 30, git 600)',
      range: 'positive',
    },
  },
  formats: RESULT_FORMATS,
  examples: [
    'publish-version clock 1.0.0 --artifact clock-1.0.0.tar.gz',
    'publish-version clock minor --entry src/main.ts --notes-from CHANGELOG.md',
  ],
} as const satisfies CommandDefinition;
