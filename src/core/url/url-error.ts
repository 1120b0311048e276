import { type SafeText, message } from '../text/message.ts';
import { type UrlParts, urlParts, withoutFragment } from './url.ts';

/** The requirements for URLs in a registry. `URL` accepts much that other clients do not, which is reported here. */

const UNESCAPED = /[ "<>`{}|^]/g;

/** Reasons why a URL cannot be used. */
type UrlErrorCause =
  | 'empty'
  | 'whitespace'
  | 'control-character'
  | 'no-scheme'
  | 'scheme'
  | 'relative'
  | 'slashes'
  | 'unparsable'
  | 'userinfo'
  | 'host';

/** The reason why a URL cannot be used, and what to do. */
export interface UrlError {
  cause: UrlErrorCause;
  message: SafeText;
  advice: SafeText;
}

/** Unusual part of a valid URL. */
export interface UrlOddity {
  cause: 'fragment' | 'host-not-ascii' | 'unescaped' | 'not-normalized' | 'dot-segments';
  message: SafeText;
  advice: SafeText;
}

/**
 * True for a URL that is written as it is sent: it has no error and no oddity. Few URLs are not, so that rules ask this
 * first.
 * @param parsed of the same text
 */
export function isPlainUrl(text: string, { href, protocol, hostname }: UrlParts): boolean {
  return (
    href === text &&
    (protocol === 'https:' || protocol === 'http:') &&
    !text.includes('#') &&
    !text.includes('@') &&
    !text.includes('\\') &&
    text.search(UNESCAPED) === -1 &&
    hostFault(hostname) === null
  );
}

/** All reasons of that kind: those that remain once spaces and control characters are removed, too. */
export function urlErrors(text: string): UrlError[] {
  const error = urlError(text);
  if (error === null) return [];
  if (error.cause === 'whitespace') return [error, ...urlErrors(text.trim())];
  // oxlint-disable-next-line no-control-regex
  if (error.cause === 'control-character') return [error, ...urlErrors(text.replace(/[\u0000-\u001f\u007f]/g, ''))];
  if (error.cause !== 'userinfo') return [error];
  const host = hostFault(urlParts(text)?.hostname ?? '');
  return host === null ? [error] : [error, host];
}

/** Checks that a text is an absolute http(s) URL that every client can use; null when it is one. */
export function urlError(text: string): UrlError | null {
  if (text.trim() === '')
    return {
      cause: 'empty',
      message: message`The URL is empty.`,
      advice: message`Use the full URL, beginning with https://.`,
    };
  if (text !== text.trim())
    return {
      cause: 'whitespace',
      message: message`The URL has leading or trailing white space.`,
      advice: message`Write it as ${text.trim()}`,
    };
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(text))
    return {
      cause: 'control-character',
      message: message`The URL contains a control character (tab, line break …); browsers remove it silently, other clients do not.`,
      advice: message`Write it as ${text.replace(/[\u0000-\u001f\u007f]/g, '')}`,
    };
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) {
    const scheme = text.slice(0, text.indexOf(':')).toLowerCase();
    if (scheme !== 'http' && scheme !== 'https') {
      if (/^[\w.-]+:\d{1,5}(\/|$)/.test(text))
        return {
          cause: 'no-scheme',
          message: message`The URL has no scheme.`,
          advice: message`Write it as https://${text}`,
        };
      return {
        cause: 'scheme',
        message: message`The URL has the scheme “${scheme.slice(0, 20)}:”, but subscribers only fetch https: URLs.`,
        advice: message`Serve the file over HTTPS, and use that URL.`,
      };
    }
  } else if (text.startsWith('//'))
    return { cause: 'no-scheme', message: message`The URL has no scheme.`, advice: message`Write it as https:${text}` };
  else if (/^[\w-]+(\.[\w-]+)+(\/|$)/.test(text) && !/^[\w.-]+\.(json|png|svg|gz)$/i.test(text))
    return {
      cause: 'no-scheme',
      message: message`The URL has no scheme.`,
      advice: message`Write it as https://${text}`,
    };
  else
    return {
      cause: 'relative',
      message: message`The URL is relative; subscribers need an absolute one.`,
      advice: message`Use the full URL, beginning with https://.`,
    };
  if (!/^https?:\/\/[^/]/i.test(text) || text.includes('\\'))
    return {
      cause: 'slashes',
      message: message`The URL must have two slashes after the scheme, and no backslashes.`,
      advice: message`Write it as ${urlParts(text)?.href ?? 'https://host/path'}`,
    };
  const parsed = urlParts(text);
  if (!parsed)
    return {
      cause: 'unparsable',
      message: message`The host or port of the URL is not valid.`,
      advice: message`Check the host name, the port (1 to 65535) and the brackets of an IPv6 address.`,
    };
  if (/^https?:\/\/[^/?#]*@/i.test(text))
    return {
      cause: 'userinfo',
      message: message`The URL contains a user name or password; browsers reject it, and everyone can read it.`,
      advice: message`Remove it; protect the file with a signed URL or with the access control of the host.`,
    };
  return hostFault(parsed.hostname);
}

function hostFault(host: string): UrlError | null {
  if (host.length < 64 && !host.includes('..') && !host.startsWith('.')) return null;
  if (host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host)) return null;
  const name = host.replace(/\.$/, '');
  const fault = name.length > 253 ? `it has ${name.length} characters, and DNS allows 253` : labelFault(name);
  if (fault === null) return null;
  return {
    cause: 'host',
    message: message`The host name cannot exist in DNS: ${fault}.`,
    advice: message`Check the host name for typos.`,
  };
}

/** Hyphens at the ends of labels and underscores are unusual, but exist in DNS (RFC 2181 section 11). */
function labelFault(name: string): string | null {
  const labels = name.split('.');
  if (labels.includes('')) return 'it has an empty label';
  const long = labels.find((label) => label.length > 63);
  return long === undefined
    ? null
    : `the label “${long.slice(0, 20)}…” has ${long.length} characters, and DNS allows 63`;
}

const HTTP_ORIGIN = /^https?:\/\/([^/?#]*)/i;

/**
 * Finds the unusual parts of a URL that can be parsed as it is written: the causes, with the plain form to write
 * instead. A user name, which is an error, does not matter here.
 */
export function urlOddities(text: string): UrlOddity[] {
  const error = urlError(text);
  if (error?.cause === 'userinfo') return urlOddities(text.replace(/^(https?:\/\/)[^/?#]*@/i, '$1'));
  if (error !== null) return [];
  const parsed = urlParts(text);
  const written = HTTP_ORIGIN.exec(text);
  if (parsed === null || written === null) throw new Error('A URL without an error could not be parsed');
  const [origin, host = ''] = written;
  return [
    fragmentOddity(text, parsed),
    hostOddity(origin, host, parsed),
    ...pathOddities(text.slice(text.indexOf(host) + host.length), parsed),
  ].filter((oddity) => oddity !== null);
}

function fragmentOddity(text: string, { hash }: UrlParts): UrlOddity | null {
  if (hash === '' && !text.endsWith('#')) return null;
  return {
    cause: 'fragment',
    message: message`The URL has a fragment (#…), which is never sent to the host.`,
    advice: message`Write it as ${withoutFragment(text)}`,
  };
}

function hostOddity(
  origin: string,
  host: string,
  { protocol, host: parsedHost, hostname, href }: UrlParts,
): UrlOddity | null {
  // oxlint-disable-next-line no-control-regex
  if (/[^\u0000-\u007f]|%/.test(host))
    return {
      cause: 'host-not-ascii',
      message: message`The host name is not plain ASCII; clients send requests to ${hostname}.`,
      advice: message`Check that this is the intended host, and write it as ${href}`,
    };
  if (origin === `${protocol}//${parsedHost}`) return null;
  return {
    cause: 'not-normalized',
    message: message`The URL is not in normalized form (uppercase, a default port or an unusual address).`,
    advice: message`Write it as ${href}`,
  };
}

function pathOddities(path: string, { href }: UrlParts): (UrlOddity | null)[] {
  return [
    path.search(UNESCAPED) >= 0
      ? {
          cause: 'unescaped',
          message: message`The URL has characters that must be percent-encoded; clients encode them differently.`,
          // URL parsers leave some of them as they are.
          advice: message`Write it as ${href.replace(UNESCAPED, encodeURIComponent)}`,
        }
      : null,
    /\/(\.|%2e){1,2}(\/|$|\?)/i.test(path)
      ? {
          cause: 'dot-segments',
          message: message`The URL has "." or ".." segments, which clients remove before they send a request.`,
          advice: message`Write it as ${href}`,
        }
      : null,
  ];
}
