import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isAppregError } from '../../core/errors/error.ts';
import { isColor } from '../../core/text/color.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { printable } from '../../core/text/text.ts';
import { blockedPort, isHttpUrl, isLoopback } from '../../core/url/url.ts';
import { urlError } from '../../core/url/url-error.ts';
import { checkNewKey } from '../../publish/check-key.ts';
import { checkVersion } from '../../publish/choose-version.ts';
import { whyUnreadable } from '../../platform/regular-file.ts';
import type { Choices } from './choices.ts';
import type { ValueKind } from './command.ts';

/** Validation of values from the command line and from prompts. */

/** Returns the fault of a value, as a sentence, or null. @param cwd the base of relative paths */
type Check = (text: string, cwd: string) => string | null;

/** A value of another kind must only not be empty. */
const CHECKS: Partial<Record<ValueKind, Check>> = {
  any: () => null,
  'new-app-key': (text) => messageOf(() => checkNewKey(text)),
  'new-version': (text) => messageOf(() => checkVersion(text, true)),
  file: existing,
  archive: (text) => (text.endsWith('.tar.gz') ? null : 'The file name must end in .tar.gz.'),
  icon: iconOrEmpty,
  color: (text) => (isColor(text) ? null : 'A color is # and six hexadecimal digits, such as #3b5bdb.'),
  'manifest-name': manifestName,
  'base-url': baseUrl,
  url,
  'service-url': serviceUrl,
  origin,
  bucket: (text) =>
    /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(text)
      ? null
      : 'A bucket name has 2 to 255 letters, digits, dots, hyphens and underscores, and begins with a letter or a digit.',
  'registry-url-or-facts': existingOrUrl,
  'file-or-url': existingOrUrl,
};

/** Finds the fault of a value, as a sentence, or null. */
export function checkValue(value: ValueKind | Choices, text: string, cwd: string): string | null {
  if (typeof value === 'string') return (CHECKS[value] ?? notEmpty)(text, cwd);
  return value.includes(text) ? null : `Use one of ${value.join(', ')}.${didYouMean(text, value)}`;
}

/** A URL, or an existing file or folder. */
export function existingOrUrl(text: string, cwd: string): string | null {
  return isHttpUrl(text) ? url(text) : existing(text, cwd);
}

function notEmpty(text: string): string | null {
  return text.trim() === '' ? 'The value is empty.' : null;
}

const NO_FILE = 'The file or folder does not exist.';

/** A path that can be used: an empty one would be the current folder. */
function existing(text: string, cwd: string): string | null {
  if (text === '') return NO_FILE;
  const path = resolve(cwd, text);
  try {
    statSync(path);
    return null;
  } catch (error) {
    const why = whyUnreadable(path, error);
    if (why === null) throw error;
    return why === 'does not exist' ? NO_FILE : `The path ${why}.`;
  }
}

/** An empty answer is valid at a terminal: an icon is generated then. */
function iconOrEmpty(text: string, cwd: string): string | null {
  return text === '' ? null : existingOrUrl(text, cwd);
}

function url(text: string): string | null {
  return urlError(text)?.message ?? null;
}

const FULL_SERVICE_URL = 'Give the full URL of the service, such as https://flows.example.com/.';

/** The messages of `urlError` are about URLs in a registry, except for some. */
function serviceUrl(text: string): string | null {
  const error = urlError(text);
  if (error === null)
    return /[?#]/.test(text)
      ? 'The URL of a service must not have a query or fragment, since paths are appended to it.'
      : null;
  switch (error.cause) {
    case 'relative':
    case 'no-scheme':
      return `It has no scheme. ${FULL_SERVICE_URL}`;
    case 'scheme':
      return `Its scheme is not https:. ${FULL_SERVICE_URL}`;
    case 'userinfo':
      return 'It contains a user name or password. Remove it, and use --token-env or --header-env.';
    case 'control-character':
      return `It contains a control character. ${FULL_SERVICE_URL}`;
    default:
      return error.message;
  }
}

function baseUrl(text: string): string | null {
  const message = url(text);
  if (message !== null) return message;
  const { protocol, host, hostname } = new URL(text);
  if (/[?#]/.test(text)) return 'A base URL must not have a query or fragment, since paths are appended to it.';
  if (protocol === 'http:' && !isLoopback(hostname))
    return 'A base URL must begin with https:// (http:// is only for localhost).';
  const port = blockedPort(host);
  return port === null ? null : `Browsers and Node.js refuse to connect to port ${port}.`;
}

function manifestName(text: string): string | null {
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*\.json$/.test(text))
    return 'The name must be a file name that ends in .json, with only letters, digits, -, _ and dots.';
  return /^(appreg\.(config|lock)|package|package-lock|tsconfig)\.json$/i.test(text)
    ? 'The name is reserved for another kind of file.'
    : null;
}

function origin(text: string): string | null {
  const message = url(text);
  if (message !== null) return message;
  const { origin: expected } = new URL(text);
  return expected === text ? null : `An origin has only a scheme and a host: ${printable(expected)}`;
}

/** The message of the error that `check` throws, or null. */
function messageOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!isAppregError(error)) throw error;
    return `${error.message} ${error.hint}`;
  }
}
