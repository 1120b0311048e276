import { message } from '../../core/text/message.ts';
import { isLoopback, parseUrl } from '../../core/url/url.ts';
import { AppregError } from '../../core/errors/error.ts';
import { ownValue } from '../../core/values/record.ts';
import { asBase } from '../../observe/workspace/places.ts';
import type { OptionValues } from '../define/command.ts';
import type { subscribeCommand } from '../define/subscribe.ts';

/** Headers with which an organization authenticates to a service. */

type Headers = [name: string, value: string][];

/** @throws AppregError if the environment variable is not set */
export function tokenFrom(name: string | undefined, env: NodeJS.ProcessEnv): Headers {
  return name === undefined ? [] : [['authorization', `Bearer ${secretFrom(name, '--token-env', env)}`]];
}

/** The value of the environment variable that an option names. @throws AppregError if it is not set */
function secretFrom(name: string, flag: string, env: NodeJS.ProcessEnv): string {
  const value = ownValue(env, name)?.trim();
  if (value) return value;
  throw new AppregError(
    'environment-variable-unset',
    message`${flag}: the environment variable ${name} is not set.`,
    message`Set it: export ${name}=…`,
  );
}

/** @throws AppregError if credentials would be sent unencrypted over a network */
export function assertEncrypted(service: string, hasCredentials: boolean): void {
  if (!hasCredentials || !service.startsWith('http:') || isLoopback(new URL(service).hostname)) return;
  throw new AppregError(
    'service-url-insecure',
    message`The URL of the service begins with http:, so credentials would be sent unencrypted.`,
    message`Use its https: URL.`,
  );
}

/** The base URL of a service, with a trailing slash. @throws AppregError for anything else than an http(s) URL */
export function serviceBase(text: string): string {
  const url = parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new AppregError(
      'url-invalid',
      message`--service: “${text}” is not the URL of a service.`,
      message`Give its URL, such as https://flows.example.com`,
    );
  return asBase(`${url.origin}${url.pathname}`);
}

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
