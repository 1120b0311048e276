import { RESULT_FORMATS } from '../../report/options.ts';
import { type CommandDefinition, text } from './command.ts';
import { attestationOptions, appOption, readOptions } from './option-groups.ts';
import { policyArgument, policyCommand } from './policy.ts';

export const policyTestCommand = {
  name: 'policy test',
  group: policyCommand.group,
  description: 'show what a policy would offer of a registry, without a service',
  arguments: [
    policyArgument,
    {
      usage: '<where>',
      value: 'registry-state',
      prompt: { message: 'Which registry? (a URL, a folder, a git ref or saved facts)' },
    },
  ],
  options: {
    firstSeen: text(
      '--first-seen <lock-file>',
      'when versions were first seen: the file that appreg lock writes (default: not known)',
      'file',
    ),
    now: text('--now <time>', 'the time to decide for, such as 2026-01-31T12:00:00Z (default: now)', 'text'),
    ...appOption,
    ...readOptions,
    ...attestationOptions,
  },
  formats: RESULT_FORMATS,
  notes:
    '<where> is a folder, a manifest, a git ref, saved facts or the URL of a live registry. Without --first-seen, a minimumAge holds back every version, unless minimumAgeStrict is false. Artifacts are only downloaded with --attestations. Exits with 1 if the policy hides everything.',
  examples: [
    'policy test policy.json https://apps.example.com/registry.json',
    'policy test policy.json https://apps.example.com/registry.json --first-seen appreg.lock.json --now 2026-12-01T00:00:00Z',
  ],
} as const satisfies CommandDefinition;
