import { RESULT_FORMATS } from '../../report/options.ts';
import { type CommandDefinition, flag } from './command.ts';
import { listenOptions } from './option-groups.ts';

export const serveCommand = {
  name: 'serve',
  group: 'everyday',
  description: 'serve a workspace as a registry host should',
  arguments: [{ usage: '[dir]', value: 'folder' }],
  options: {
    ...listenOptions({ port: '8080', host: '127.0.0.1' }),
    https: flag('--https', 'serve over HTTPS with a local certificate authority'),
    rewrite: flag('--no-rewrite', "do not rewrite the workspace's base URL"),
  },
  formats: RESULT_FORMATS,
  examples: ['serve', 'serve my-registry --https --port 8443'],
} as const satisfies CommandDefinition;
