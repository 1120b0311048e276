import { RESULT_FORMATS } from '../../report/options.ts';
import { ROLES } from './choices.ts';
import { type CommandDefinition, flag, list, number, text } from './command.ts';
import { authorityOption, dataFolderOption, listenOptions } from './option-groups.ts';

export const serviceCommand = {
  name: 'service',
  group: 'other',
  network: 'always',
  description: 'run the subscriber service',
  arguments: [],
  options: {
    ...listenOptions({ port: 'PORT, or 8090', host: 'HOST, or 127.0.0.1' }),
    ...dataFolderOption,
    role: list('--role <web|worker>', 'run only this role; repeatable (default: both)', ROLES),
    allowHost: list(
      '--allow-host <host>',
      'send requests to this host even if its addresses are private; repeatable',
      'loopback-host',
    ),
    allowHttp: flag('--allow-http', 'accept http: registries from any host'),
    openSignUp: flag('--open-sign-up', 'let anyone who can reach the service create an organization'),
    artifacts: text('--artifacts <place>', 'keep verified artifacts in this folder, or in s3://bucket/prefix', 'any'),
    artifactsMax: text(
      '--artifacts-max <size>',
      'maximum size of all kept artifacts, in decimal units (default: 50GB)',
      'any',
    ),
    ...authorityOption,
    trustedRoot: text('--trusted-root <file>', 'verify attestations with this trusted root of Sigstore', 'file'),
    interval: number('--interval <s>', 'seconds between two checks of a registry (default: 3600)', 'positive'),
    concurrency: number('--concurrency <n>', 'registries checked at the same time (default: 8)', 'positive'),
  },
  formats: RESULT_FORMATS,
  examples: ['service --open-sign-up --allow-host localhost'],
} as const satisfies CommandDefinition;
