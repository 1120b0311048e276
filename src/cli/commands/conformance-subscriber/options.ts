import { CONFORMANCE_FORMATS } from '../../../report/options.ts';
import { ABILITIES } from '../../choices.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { conformanceOptions, implementationOption } from '../../conformance/options.ts';

export const conformanceSubscriberCommand = {
  name: 'conformance subscriber',
  description: 'test a service or an installer that subscribes to registries',
  arguments: [],
  options: {
    ...conformanceOptions,
    ...implementationOption('the subscriber, which is given subscribe <url> <name>, refresh or apps'),
    adapter: {
      type: 'string',
      flags: '--adapter <url>',
      description: 'the URL of an adapter, in place of --command',
      value: 'text',
    },
    without: {
      type: 'list',
      flags: '--without <ability>',
      description: 'what the subscriber cannot do; repeatable',
      value: ABILITIES,
    },
    authority: {
      type: 'string',
      flags: '--ca-folder <folder>',
      description: 'the certificate authority of the hosts, which is created if it is missing (default: a new one)',
      value: 'folder',
    },
    timeout: {
      type: 'number',
      flags: '--timeout <s>',
      description: 'seconds per verb (default: 30)',
      range: 'positive',
    },
    concurrency: {
      type: 'number',
      flags: '--concurrency <n>',
      description: 'cases at once (default: 4)',
      range: 'whole',
    },
  },
  formats: CONFORMANCE_FORMATS,
  examples: [
    'conformance subscriber --command "./subscriber.sh"',
    'conformance subscriber --adapter http://127.0.0.1:8070/ --format html=results.html',
  ],
} as const satisfies CommandDefinition;
