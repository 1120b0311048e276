import { FORMATS } from '../../report/options.ts';
import { type CommandDefinition, text } from './command.ts';
import { checkOptions } from './option-groups.ts';

export const diagnoseCommand = {
  name: 'diagnose',
  group: 'everyday',
  description: 'check a live registry, and explain problems by symptom',
  arguments: [
    {
      usage: '<url|facts.json>',
      value: 'registry-url-or-facts',
      prompt: { message: 'Which registry? (its URL, or a file of saved facts)' },
    },
  ],
  options: {
    version: text('--version <version>', 'with --app: explain why this version is not offered', 'any'),
    bundle: text('--bundle <file>', 'write facts and report, without secrets, to a file for the ticket', 'file'),
    service: text(
      '--service <base_url>',
      'also compare with what this service knows about the registry',
      'service-url',
    ),
    tokenEnv: text(
      '--token-env <ENVVAR>',
      'with --service: environment variable that contains the organization’s token',
      'any',
    ),
    ...checkOptions,
  },
  formats: FORMATS,
  examples: [
    'diagnose https://apps.example.com/registry.json --app clock --bundle ticket.json',
    'diagnose https://apps.example.com/registry.json --service https://flows.example.com --token-env TOKEN --format markdown',
  ],
} as const satisfies CommandDefinition;
