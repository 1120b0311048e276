import { AppregError } from '../errors/error.ts';
import { message, safe } from '../text/message.ts';
import { parseUrl } from './url.ts';

/** The registry's URL as requested. Throws AppregError that suggests the URL that was probably meant. */
export function registryUrl(text: string): URL {
  const hint = message`Give the full URL of the manifest, such as https://apps.example.com/registry.json`;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const likely = `https://${text.replace(/^\/+/, '')}`;
    const isHost = /^[\w.-]+\.[\w-]+(:\d+)?(\/|$)|^localhost(:\d+)?(\/|$)/.test(text) && parseUrl(likely) !== null;
    throw new AppregError(
      'url-invalid',
      message`“${text}” is not a URL: it has no scheme.`,
      isHost
        ? message`Did you mean ${likely}? (To check local files: appreg lint)`
        : message`${safe(hint)}. (To check local files: appreg lint)`,
    );
  }
  const url = parseUrl(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new AppregError(
      'url-invalid',
      message`“${text}” is not an http(s) URL.`,
      url?.protocol === 'file:' ? message`${safe(hint)}. (To check local files: appreg lint)` : hint,
    );
  if (url.username !== '' || url.password !== '')
    throw new AppregError(
      'url-credentials',
      message`The URL contains a user name or password.`,
      message`Give credentials with --header-env Authorization=<environment variable> instead.`,
    );
  url.hash = '';
  return url;
}
