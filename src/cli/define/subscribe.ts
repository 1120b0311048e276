import { RESULT_FORMATS } from '../../report/options.ts';
import { type CommandDefinition, number, text } from './command.ts';
import { authorityOption, headerOptions, registryUrlArgument } from './option-groups.ts';

export const subscribeCommand = {
  name: 'subscribe',
  group: 'other',
  network: 'always',
  description: 'subscribe an organization of the service to a registry',
  arguments: [registryUrlArgument],
  options: {
    service: text('--service <base_url>', 'URL of the service', 'service-url', {
      message: 'URL of the service?',
      placeholder: 'https://flows.example.com',
    }),
    name: text('--name <name>', 'name of the registry within the organization', 'text', {
      message: 'Name of the registry within the organization?',
    }),
    tokenEnv: text(
      '--token-env <ENVVAR>',
      'environment variable that contains the organization’s token (Authorization: Bearer)',
      'any',
    ),
    registryTokenEnv: text(
      '--registry-token-env <ENVVAR>',
      'for a private registry: environment variable that contains the bearer token for the service to send',
      'any',
    ),
    registryBasicEnv: text(
      '--registry-basic-env <ENVVAR>',
      'for a private registry: environment variable that contains user:password (basic authentication)',
      'any',
    ),
    registryHeaderEnv: text(
      '--registry-header-env <name=ENVVAR>',
      'for a private registry: a header, and the environment variable that contains its value',
      'any',
    ),
    ...headerOptions('the service'),
    ...authorityOption,
    timeout: number(
      '--timeout <s>',
      'seconds to wait for the response, and then for the first check (default: 60)',
      'positive',
    ),
  },
  formats: RESULT_FORMATS,
  examples: [
    'subscribe https://apps.example.com/registry.json --service https://flows.example.com --name "My apps" --token-env TOKEN',
  ],
} as const satisfies CommandDefinition;
