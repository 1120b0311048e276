import { CONFORMANCE_FORMATS } from '../../report/options.ts';
import { ABILITIES } from './choices.ts';
import { type CommandDefinition, list, number, text } from './command.ts';
import { conformanceOptions, implementationOption } from './option-groups.ts';
import { conformanceCommand } from './conformance.ts';

export const conformanceSubscriberCommand = {
  name: 'conformance subscriber',
  group: conformanceCommand.group,
  network: 'always',
  description: 'test a service or an installer that subscribes to registries',
  arguments: [],
  options: {
    ...conformanceOptions,
    ...implementationOption('the subscriber, which is given subscribe <url> <name>, refresh or apps'),
    adapter: text('--adapter <url>', 'the URL of an adapter, in place of --command', 'text'),
    without: list('--without <ability>', 'what the subscriber cannot do; repeatable', ABILITIES),
    authority: text(
      '--ca-folder <folder>',
      'the certificate authority of the hosts, which is created if it is missing (default: a new one)',
      'folder',
    ),
    timeout: number('--timeout <s>', 'seconds per verb (default: 30)', 'positive'),
    concurrency: number('--concurrency <n>', 'cases at once (default: 4)', 'whole'),
  },
  formats: CONFORMANCE_FORMATS,
  examples: [
    'conformance subscriber --command "./subscriber.sh"',
    'conformance subscriber --adapter http://127.0.0.1:8070/ --format html=results.html',
  ],
} as const satisfies CommandDefinition;
