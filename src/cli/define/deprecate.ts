import { RESULT_FORMATS } from '../../report/options.ts';
import { RETIREMENT_REASONS } from './choices.ts';
import { type CommandDefinition, flag, text } from './command.ts';
import { dryRunOption } from './option-groups.ts';

export const deprecateCommand = {
  name: 'deprecate',
  group: 'editing',
  description: 'advise subscribers against versions, which stay listed',
  arguments: [
    { usage: '<app>', value: 'app-key', prompt: { message: 'Which app?' } },
    {
      usage: '<version>',
      value: 'any',
      prompt: { message: 'Which version, or range of versions? (such as 1.2.0, or <1.3.0)' },
    },
  ],
  options: {
    reason: text('--reason <reason>', `why: ${RETIREMENT_REASONS.join(', ')}`, RETIREMENT_REASONS),
    message: text('--message <text>', 'what subscribers should know, in at most 280 characters', 'text'),
    use: text('--use <version>', 'the version to use instead, which must be listed and higher', 'any'),
    replace: flag('--replace', 'overwrite the retirement of a version that is retired for another reason or message'),
    undo: flag('--undo', 'withdraw the retirement'),
    ...dryRunOption,
  },
  formats: RESULT_FORMATS,
  notes:
    'Writes the about file beside the metadata file; manifest, metadata and artifacts stay as they are. A version that is retired for security is not offered as the latest while a newer one is listed.',
  examples: [
    'deprecate clock 1.2.0 --reason security --message "It leaks tokens." --use 1.2.1',
    'deprecate clock "<1.2.0" --reason unmaintained --message "Only 1.2 gets corrections." --dry-run',
    'deprecate clock 1.2.0 --undo',
  ],
} as const satisfies CommandDefinition;
