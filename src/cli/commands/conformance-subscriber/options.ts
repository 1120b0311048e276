import { CONFORMANCE_FORMATS } from '../../../report/options.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { conformanceOptions, implementationOption } from '../../option-groups.ts';

export const conformanceSubscriberCommand = {
  name: 'conformance subscriber',
  description: 'test a service or an installer that subscribes to registries',
  arguments: [],
  options: {
    ...conformanceOptions,
    ...implementationOption('the subscriber, which is given subscribe <url> <name>, refresh or apps'),
  },
  formats: CONFORMANCE_FORMATS,
  examples: ['conformance subscriber --command "./subscriber.sh"'],
} as const satisfies CommandDefinition;
