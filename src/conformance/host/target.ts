import type { LookupFunction } from 'node:net';
import type { ProxyFor } from '../../observe/http/proxy.ts';
import { parseUrl } from '../../core/http/url.ts';
import { AppregError } from '../../core/errors.ts';
import { message } from '../../core/text/message.ts';

/** Where the tree was uploaded, and how requests are sent there. */
export interface HostTarget {
  /** The folder of the tree, with a trailing slash. Its query, such as a signature, is sent with every request. */
  base: URL;
  /** PEM text of additional trusted authorities, or null. */
  ca: string | null;
  /** PEM text of NODE_EXTRA_CA_CERTS, or null. */
  machineCa: string | null;
  proxyFor: ProxyFor;
  /** Resolves names instead of the system resolver. */
  lookup: LookupFunction | null;
  /** The port at which plain HTTP is requested; null if it is not known. */
  plainPort: number | null;
}

/** Milliseconds for a request. */
export const TIMEOUT = 15_000;

/**
 * The folder of a tree: the URL of the folder, or of the manifest in it.
 * @throws AppregError `url-invalid` (exit 2) for anything but an http(s) URL without a user name
 */
export function folderUrl(text: string): URL {
  const url = parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new AppregError(
      'url-invalid',
      message`Invalid URL “${text}”. Expected an http(s) URL without a user name.`,
      message`Give the URL of the folder to which the files of “appreg conformance fixtures” were uploaded.`,
    );
  url.hash = '';
  url.pathname = url.pathname.replace(/\/registry\.json$/, '/').replace(/(?<!\/)$/, '/');
  return url;
}

/** The port of plain HTTP, if the folder has the default port of its scheme; otherwise null. */
export function plainPortOf({ protocol, port }: URL): number | null {
  return protocol === 'https:' && port === '' ? 80 : null;
}

/** The target of a request as it is sent: path and query. */
export function requestTarget({ base }: HostTarget, path: string, query: number | undefined): string {
  const target = base.pathname + path + base.search;
  if (query === undefined) return target;
  return `${target}${target.includes('?') ? '&' : '?'}conformance=${'a'.repeat(query)}`;
}
