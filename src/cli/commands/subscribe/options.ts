import { RESULT_FORMATS } from '../../../report/options.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { authorityOption, headerOptions, registryUrlArgument } from '../../option-groups.ts';

export const subscribeCommand = {
  name: 'subscribe',
  description: 'subscribe an organization of the service to a registry',
  arguments: [registryUrlArgument],
  options: {
    service: {
      type: 'string',
      flags: '--service <base_url>',
      description: 'URL of the service',
      value: 'service-url',
      prompt: { message: 'URL of the service?', placeholder: 'https://flows.example.com' },
    },
    name: {
      type: 'string',
      flags: '--name <name>',
      description: 'name of the registry within the organization',
      value: 'text',
      prompt: { message: 'Name of the registry within the organization?' },
    },
    tokenEnv: {
      type: 'string',
      flags: '--token-env <ENVVAR>',
      description: 'environment variable that contains the organization’s token (Authorization: Bearer)',
      value: 'any',
    },
    registryTokenEnv: {
      type: 'string',
      flags: '--registry-token-env <ENVVAR>',
      description:
        'for a private registry: environment variable that contains the bearer token for the service to send',
      value: 'any',
    },
    registryBasicEnv: {
      type: 'string',
      flags: '--registry-basic-env <ENVVAR>',
      description: 'for a private registry: environment variable that contains user:password (basic authentication)',
      value: 'any',
    },
    registryHeaderEnv: {
      type: 'string',
      flags: '--registry-header-env <name=ENVVAR>',
      description: 'for a private registry: a header, and the environment variable that contains its value',
      value: 'any',
    },
    ...headerOptions('the service'),
    ...authorityOption,
    timeout: {
      type: 'number',
      flags: '--timeout <s>',
      description: 'seconds to wait for the response, and then for the first check (default: 60)',
      range: 'positive',
    },
  },
  formats: RESULT_FORMATS,
  examples: [
    'subscribe https://apps.example.com/registry.json --service https://flows.example.com --name "My apps" --token-env TOKEN',
  ],
} as const satisfies CommandDefinition;
