import { message } from '../core/text/message.ts';
import { isLoopback, parseUrl } from '../core/http/url.ts';
import { AppregError } from '../core/errors.ts';
import { asBase } from '../observe/workspace/places.ts';

/** Headers with which an organization authenticates to a service. */

type Headers = [name: string, value: string][];

/** @throws AppregError if the environment variable is not set */
export function tokenFrom(name: string | undefined, env: NodeJS.ProcessEnv): Headers {
  return name === undefined ? [] : [['authorization', `Bearer ${secretFrom(name, '--token-env', env)}`]];
}

/** The value of the environment variable that an option names. @throws AppregError if it is not set */
export function secretFrom(name: string, flag: string, env: NodeJS.ProcessEnv): string {
  const value = env[name]?.trim();
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
