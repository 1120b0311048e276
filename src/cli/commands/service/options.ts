import { RESULT_FORMATS } from '../../../report/options.ts';
import { ROLES } from '../../choices.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { authorityOption, dataFolderOption, listenOptions } from '../../option-groups.ts';

export const serviceCommand = {
  name: 'service',
  description: 'run the subscriber service',
  arguments: [],
  options: {
    ...listenOptions({ port: 'PORT, or 8090', host: 'HOST, or 127.0.0.1' }),
    ...dataFolderOption,
    role: {
      type: 'list',
      flags: '--role <web|worker>',
      description: 'run only this role; repeatable (default: both)',
      value: ROLES,
    },
    allowHost: {
      type: 'list',
      flags: '--allow-host <host>',
      description: 'send requests to this host even if its addresses are private; repeatable',
      value: 'loopback-host',
    },
    allowHttp: { type: 'boolean', flags: '--allow-http', description: 'accept http: registries from any host' },
    openSignUp: {
      type: 'boolean',
      flags: '--open-sign-up',
      description: 'let anyone who can reach the service create an organization',
    },
    artifacts: {
      type: 'string',
      flags: '--artifacts <place>',
      description: 'keep verified artifacts in this folder, or in s3://bucket/prefix',
      value: 'any',
    },
    artifactsMax: {
      type: 'string',
      flags: '--artifacts-max <size>',
      description: 'maximum size of all kept artifacts, in decimal units (default: 50GB)',
      value: 'any',
    },
    ...authorityOption,
    trustedRoot: {
      type: 'string',
      flags: '--trusted-root <file>',
      description: 'verify attestations with this trusted root of Sigstore',
      value: 'file',
    },
    interval: {
      type: 'number',
      flags: '--interval <s>',
      description: 'seconds between two checks of a registry (default: 3600)',
      range: 'positive',
    },
    concurrency: {
      type: 'number',
      flags: '--concurrency <n>',
      description: 'registries checked at the same time (default: 8)',
      range: 'positive',
    },
  },
  formats: RESULT_FORMATS,
  examples: ['service --open-sign-up --allow-host localhost'],
} as const satisfies CommandDefinition;
