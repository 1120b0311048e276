import { CONFORMANCE_FORMATS } from '../../report/options.ts';
import type { CommandDefinition } from './command.ts';
import { conformanceOptions, authorityOption } from './option-groups.ts';
import { conformanceCommand } from './conformance.ts';

export const conformanceHostCommand = {
  name: 'conformance host',
  group: conformanceCommand.group,
  network: 'always',
  description: 'test a web host that serves the files of conformance fixtures',
  arguments: [
    {
      usage: '<url>',
      value: 'url',
      prompt: { message: 'URL of the uploaded folder?', placeholder: 'https://apps.example.com/conformance/' },
    },
  ],
  options: { ...conformanceOptions, ...authorityOption },
  formats: CONFORMANCE_FORMATS,
  notes: 'First upload the folder that appreg conformance fixtures writes.',
  examples: ['conformance host https://apps.example.com/conformance/'],
} as const satisfies CommandDefinition;
