import type { CommandDefinition } from '../../command-definition.ts';
import { checkOptions } from '../../option-groups.ts';

export const diagnoseCommand = {
  name: 'diagnose',
  description: 'check a live registry and explain problems by symptom, for a support ticket',
  arguments: [
    {
      usage: '<url|facts.json>',
      value: 'registry-url-or-facts',
      prompt: { message: 'Which registry? (its URL, or a file of saved facts)' },
    },
  ],
  options: {
    version: {
      type: 'string',
      flags: '--version <version>',
      description: 'with --app: why is this version not offered?',
      value: 'any',
    },
    bundle: {
      type: 'string',
      flags: '--bundle <file>',
      description: 'write facts and report, without secrets, to a file for the ticket',
      value: 'file',
    },
    ...checkOptions,
  },
  examples: ['diagnose https://apps.example.com/registry.json --app clock --bundle ticket.json.gz'],
} as const satisfies CommandDefinition;
