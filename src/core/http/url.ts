import { blockedPort } from './blocked-ports.ts';
import { isValidALabel } from './punycode.ts';

/** The requirements for URLs in a registry. `URL` accepts much that other clients do not, which is reported here. */

/**
 * Parses a URL as the WHATWG URL standard does; null if it is invalid. All code parses untrusted URLs with this: the
 * static methods of `URL` return wrong results on Node 20 and 22 once V8 has optimised them (for hosts with Latin-1
 * letters), or are missing.
 * @param base an absolute URL that `text` may be relative to
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    const url = new URL(text, base);
    return hasValidALabels(url.hostname) ? url : null;
  } catch {
    return null;
  }
}

/** Newer parsers accept labels with invalid Punycode, older ones and browsers do not: here they are rejected. */
function hasValidALabels(hostname: string): boolean {
  return !hostname.includes('xn--') || hostname.split('.').every((label) => isValidALabel(label));
}

/** Why a URL cannot be used. */
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

export interface UrlError {
  cause: UrlErrorCause;
  message: string;
  advice: string;
}

/** What is unusual about a valid URL. */
export interface UrlOddity {
  cause: 'fragment' | 'host-not-ascii' | 'unescaped' | 'not-normalised' | 'dot-segments';
  message: string;
  advice: string;
}

// The usual URL, recognised without parsing: https, a plain host, a path with nothing to normalise.
const USUAL =
  /^https:\/\/[a-z0-9](?:[a-z0-9.-]{0,200}[a-z0-9])?(?::\d{1,5})?\/(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*\/)*(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*)?$/;

// A registry has one or two hosts, so the last valid one need not be checked again.
let lastUsualHost = '';

let lastAsked = '';
let lastAnswer = false;

/** True for a canonical URL: absolute https, nothing to normalise, no query. A fast check without false positives. */
export function isCanonicalUrl(text: string): boolean {
  // Several rules check the same URL in a row.
  if (text === lastAsked) return lastAnswer;
  lastAsked = text;
  return (lastAnswer = looksUsual(text));
}

function looksUsual(text: string): boolean {
  if (!USUAL.test(text)) return false;
  const host = text.slice(8, text.indexOf('/', 8));
  if (host === lastUsualHost) return true;
  // Punycode has to be decoded to be validated.
  if (/\.[.-]|-\.|(^|\.)xn--|[^.]{64}/.test(host)) return false;
  // A last label that begins with a digit may make it an IPv4 address, and a port may be the default one.
  if (/(^|\.)\d[^.]*$|:/.test(host) && parseUrl(text)?.host !== host) return false;
  if (blockedPort(host) !== null) return false;
  lastUsualHost = host;
  return true;
}

/** The parts of a URL that the rules use. */
export type UrlParts = Pick<URL, 'protocol' | 'host' | 'hostname' | 'pathname' | 'searchParams' | 'hash' | 'href'>;

const NO_QUERY = new URLSearchParams();
let lastText = '';
let lastParsed: UrlParts | null = null;

/** The URL's parts, or null if it cannot be parsed. The last result is cached: treat it as read-only. */
export function urlParts(text: string): UrlParts | null {
  if (text !== lastText) {
    lastText = text;
    lastParsed = isCanonicalUrl(text) ? usualParts(text) : parseUrl(text);
  }
  return lastParsed;
}

/** The result of `new URL` for a usual URL, in a tenth of the time. */
function usualParts(text: string): UrlParts {
  const slash = text.indexOf('/', 8);
  const host = text.slice(8, slash);
  const colon = host.indexOf(':');
  return {
    protocol: 'https:',
    host,
    hostname: colon === -1 ? host : host.slice(0, colon),
    pathname: text.slice(slash),
    searchParams: NO_QUERY,
    hash: '',
    href: text,
  };
}

/** Why a text is not an absolute http(s) URL that every client can use; null when it is one. */
export function urlError(text: string): UrlError | null {
  if (isCanonicalUrl(text)) return null;
  if (text.trim() === '')
    return { cause: 'empty', message: 'The URL is empty.', advice: 'Use the full URL, beginning with https://.' };
  if (text !== text.trim())
    return {
      cause: 'whitespace',
      message: 'The URL has leading or trailing white space.',
      advice: `Write it as ${text.trim()}`,
    };
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(text))
    return {
      cause: 'control-character',
      message:
        'The URL contains a control character (tab, line break …); browsers remove it silently, other clients do not.',
      advice: `Write it as ${text.replace(/[\u0000-\u001f\u007f]/g, '')}`,
    };
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) {
    const scheme = text.slice(0, text.indexOf(':')).toLowerCase();
    if (scheme !== 'http' && scheme !== 'https') {
      if (/^[\w.-]+:\d{1,5}(\/|$)/.test(text))
        return { cause: 'no-scheme', message: 'The URL has no scheme.', advice: `Write it as https://${text}` };
      return {
        cause: 'scheme',
        message: `The scheme is ${scheme.slice(0, 20)}:; only https: can be fetched by subscribers.`,
        advice: 'Serve the file over HTTPS, and use that URL.',
      };
    }
  } else if (text.startsWith('//'))
    return { cause: 'no-scheme', message: 'The URL has no scheme.', advice: `Write it as https:${text}` };
  else if (/^[\w-]+(\.[\w-]+)+(\/|$)/.test(text) && !/^[\w.-]+\.(json|png|svg|gz)$/i.test(text))
    return { cause: 'no-scheme', message: 'The URL has no scheme.', advice: `Write it as https://${text}` };
  else
    return {
      cause: 'relative',
      message: 'The URL is relative; subscribers need an absolute one.',
      advice: 'Use the full URL, beginning with https://.',
    };
  if (!/^https?:\/\/[^/]/i.test(text) || text.includes('\\'))
    return {
      cause: 'slashes',
      message: 'The URL must have two slashes after the scheme, and no backslashes.',
      advice: `Write it as ${urlParts(text)?.href ?? 'https://host/path'}`,
    };
  const parsed = urlParts(text);
  if (!parsed)
    return {
      cause: 'unparsable',
      message: 'The host or port of the URL is not valid.',
      advice: 'Check the host name, the port (1 to 65535) and the brackets of an IPv6 address.',
    };
  if (/^https?:\/\/[^/?#]*@/i.test(text))
    return {
      cause: 'userinfo',
      message: 'The URL contains a user name or password; browsers reject it, and everyone can read it.',
      advice: 'Remove it; protect the file with a signed URL or with the access control of the host.',
    };
  return hostFault(parsed.hostname);
}

function hostFault(host: string): UrlError | null {
  if (host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host)) return null;
  const name = host.replace(/\.$/, '');
  const bad = name
    .split('.')
    .find((label) => label === '' || label.length > 63 || label.startsWith('-') || label.endsWith('-'));
  if (bad === undefined && name.length <= 253) return null;
  return {
    cause: 'host',
    message:
      'The host name cannot exist in DNS (an empty label, one over 63 characters, or one that begins or ends with a hyphen).',
    advice: 'Check the host name for typos.',
  };
}

/** True for localhost and the loopback addresses. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Equal for all spellings of the same address; an invalid URL is returned unchanged. Fragments are never sent. */
export function sameAddress(text: string): string {
  if (isCanonicalUrl(text)) return text;
  const parsed = urlParts(text);
  if (!parsed) return text;
  return parsed.hash === '' ? parsed.href : parsed.href.slice(0, parsed.href.indexOf('#'));
}

/** A URL without its fragment. */
export function withoutFragment(text: string): string {
  const at = text.indexOf('#');
  return at === -1 ? text : text.slice(0, at);
}

/** The fragment of a URL with its "#", which browsers apply to an image (a view of an SVG); '' without one. */
export function fragmentOf(text: string): string {
  const hash = parseUrl(text)?.hash ?? '';
  return hash === '#' ? '' : hash;
}

/** What is unusual about a valid URL: the cause, with the plain form to write instead. */
export function urlOddity(text: string): UrlOddity | null {
  if (isCanonicalUrl(text) || urlError(text)) return null;
  const parsed = urlParts(text)!;
  if (parsed.hash !== '' || text.endsWith('#'))
    return {
      cause: 'fragment',
      message: 'The URL has a fragment (#…), which is never sent to the host.',
      advice: `Write it as ${withoutFragment(text)}`,
    };
  const host = /^https?:\/\/([^/?#]*)/i.exec(text)![1]!;
  // oxlint-disable-next-line no-control-regex
  if (/[^\u0000-\u007f]|%/.test(host))
    return {
      cause: 'host-not-ascii',
      message: `The host name is not plain ASCII; clients send requests to ${parsed.hostname}.`,
      advice: `Check that this is the intended host, and write it as ${parsed.href}`,
    };
  const path = text.slice(text.indexOf(host) + host.length);
  if (/[ "<>`{}|^]/.test(path))
    return {
      cause: 'unescaped',
      message: 'The URL has characters that must be percent-encoded; clients encode them differently.',
      advice: `Write it as ${parsed.href}`,
    };
  const asParsed = `${parsed.protocol}//${parsed.host}`;
  const asWritten = /^https?:\/\/[^/?#]*/i.exec(text)![0];
  if (asWritten !== asParsed)
    return {
      cause: 'not-normalised',
      message: 'The URL is not in normalized form (uppercase, a default port or an unusual address).',
      advice: `Write it as ${parsed.href}`,
    };
  if (/\/(\.|%2e){1,2}(\/|$|\?)/i.test(path))
    return {
      cause: 'dot-segments',
      message: 'The URL has "." or ".." segments, which clients remove before they send a request.',
      advice: `Write it as ${parsed.href}`,
    };
  return null;
}
