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
      value: 'url',
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
      description: 'send the token in this environment variable (Authorization: Bearer)',
      value: 'any',
    },
    registryTokenEnv: {
      type: 'string',
      flags: '--registry-token-env <ENVVAR>',
      description: 'for a private registry: let the service send the bearer token in this environment variable',
      value: 'any',
    },
    registryBasicEnv: {
      type: 'string',
      flags: '--registry-basic-env <ENVVAR>',
      description: 'the same, with the user:password in this environment variable',
      value: 'any',
    },
    registryHeaderEnv: {
      type: 'string',
      flags: '--registry-header-env <name=ENVVAR>',
      description: 'the same, with a header whose value is in this environment variable',
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
  examples: [
    'subscribe https://apps.example.com/registry.json --service https://flows.example.com --name "My apps" --token-env TOKEN',
  ],
} as const satisfies CommandDefinition;
