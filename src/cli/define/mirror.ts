import { RESULT_FORMATS } from '../../report/options.ts';
import { type CommandDefinition, flag } from './command.ts';
import {
  appOption,
  authorityOption,
  baseUrlOption,
  concurrencyOption,
  headerOptions,
  registryUrlArgument,
  versionsOption,
} from './option-groups.ts';

export const mirrorCommand = {
  name: 'mirror',
  group: 'repositories',
  network: 'always',
  description: 'verify and copy a registry, with rewritten URLs; resumable',
  arguments: [registryUrlArgument, { usage: '<dir>', value: 'folder', prompt: { message: 'Into which folder?' } }],
  options: {
    baseUrl: { ...baseUrlOption.baseUrl, description: 'the URL that the copy will be served at' },
    ...appOption,
    ...versionsOption,
    prune: flag('--prune', 'delete apps and versions that the source no longer lists'),
    skipCompanions: flag('--skip-companions', 'do not copy attestations and bills of materials'),
    ...headerOptions("the registry's origin"),
    ...concurrencyOption,
    ...authorityOption,
  },
  formats: RESULT_FORMATS,
  examples: ['mirror https://apps.example.com/registry.json copy --base-url https://mirror.example.com/'],
} as const satisfies CommandDefinition;
