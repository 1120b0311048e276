import { RESULT_FORMATS } from '../../report/options.ts';
import type { CommandDefinition } from './command.ts';
import { conformanceOptions } from './option-groups.ts';
import { conformanceCommand } from './conformance.ts';

export const conformanceFixturesCommand = {
  name: 'conformance fixtures',
  group: conformanceCommand.group,
  description: 'write the files that conformance host requests from a web host',
  arguments: [{ usage: '<dir>', value: 'folder', prompt: { message: 'Folder to write the files to?' } }],
  options: { set: conformanceOptions.set },
  formats: RESULT_FORMATS,
  examples: ['conformance fixtures conformance-files'],
} as const satisfies CommandDefinition;
