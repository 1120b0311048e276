import type { CommandDefinition } from '../../command-definition.ts';
import { readOptions } from '../../option-groups.ts';

export const lockCommand = {
  name: 'lock',
  description: 'record the published versions in appreg.lock.json, to detect changes',
  arguments: [{ usage: '[where]', value: 'registry-state' }],
  options: readOptions,
  examples: ['lock', 'lock https://apps.example.com/registry.json'],
} as const satisfies CommandDefinition;
