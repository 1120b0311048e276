import { message } from '../../../core/text/message.ts';
import { AppregError } from '../../../core/errors.ts';
import { secretFrom } from '../../service-headers.ts';
import type { OptionValues } from '../../command-definition.ts';
import type { subscribeCommand } from './options.ts';

type AuthOptions = Pick<
  OptionValues<typeof subscribeCommand.options>,
  'registryTokenEnv' | 'registryBasicEnv' | 'registryHeaderEnv'
>;

/**
 * The credentials of the registry, from environment variables; null without any.
 * @throws AppregError for more than one option, and for a variable that is not set
 */
export function registryAuth(options: AuthOptions, env: NodeJS.ProcessEnv): Record<string, string> | null {
  const { registryTokenEnv: token, registryBasicEnv: basic, registryHeaderEnv: header } = options;
  const given = [token, basic, header].filter((one) => one !== undefined);
  if (given.length > 1)
    throw new AppregError(
      'option-invalid',
      message`More than one option gives the credentials of the registry.`,
      message`Use one of --registry-token-env, --registry-basic-env and --registry-header-env.`,
    );
  if (token !== undefined) return { type: 'bearer', token: secretFrom(token, '--registry-token-env', env) };
  if (basic !== undefined) return basicAuth(secretFrom(basic, '--registry-basic-env', env));
  if (header === undefined) return null;
  const at = header.indexOf('=');
  if (at < 1)
    throw new AppregError(
      'option-invalid',
      message`--registry-header-env is not of the form Name=ENVIRONMENT_VARIABLE.`,
      message`Write --registry-header-env X-Api-Key=API_KEY`,
    );
  const value = secretFrom(header.slice(at + 1), '--registry-header-env', env);
  return { type: 'header', name: header.slice(0, at), value };
}

/** The values of credentials that are secret. */
export function secretsOfAuth(auth: Readonly<Record<string, string>> | null): string[] {
  return ['token', 'password', 'value'].flatMap((field) => auth?.[field] ?? []);
}

function basicAuth(text: string): Record<string, string> {
  const colon = text.indexOf(':');
  if (colon !== -1) return { type: 'basic', username: text.slice(0, colon), password: text.slice(colon + 1) };
  // The value is a secret, so it is not quoted.
  throw new AppregError(
    'option-invalid',
    message`--registry-basic-env: the value of the variable has no colon.`,
    message`Set it to user:password.`,
  );
}
