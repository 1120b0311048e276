import { FORMATS } from '../../report/options.ts';
import type { CommandDefinition } from './command.ts';
import { againstOption, baselineOption } from './option-groups.ts';

export const judgeCommand = {
  name: 'judge',
  group: 'evidence',
  description: 'judge saved facts again, and merge shards',
  arguments: [{ usage: '<facts.json...>', value: 'file', prompt: { message: 'Which file of saved facts?' } }],
  options: { ...againstOption, ...baselineOption },
  formats: FORMATS,
  examples: ['judge facts.json', 'judge facts.json --against HEAD', 'judge shard-1.json shard-2.json'],
} as const satisfies CommandDefinition;
