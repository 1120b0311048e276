import { parseUrl, type UrlParts, urlParts } from './url.ts';

/**
 * Sites (HTML standard): the origins that browsers treat as one site, and the resulting Sec-Fetch-Site of a request.
 */

export type FetchSite = 'same-origin' | 'same-site' | 'cross-site';

/**
 * Suffixes of more than one label under which anyone can register a name, so that two names under one are different
 * sites. An excerpt of the Public Suffix List: the hosts that registries and services commonly use, and the common
 * country suffixes.
 */
const SHARED_SUFFIX =
  /^(?:(?:github|gitlab|codeberg|bitbucket)\.io|(?:pages|workers)\.dev|netlify\.app|vercel\.app|web\.app|run\.app|fly\.dev|firebaseapp\.com|herokuapp\.com|onrender\.com|azurewebsites\.net|blob\.core\.windows\.net|web\.core\.windows\.net|azurestaticapps\.net|cloudfront\.net|s3[\w.-]*\.amazonaws\.com|r2\.dev|surge\.sh|(?:ac|co|com|edu|gov|net|org)\.[a-z]{2})$/;

/**
 * The value of Sec-Fetch-Site (Fetch Metadata Request Headers, section 2.3) for the last of these URLs.
 * @param page the origin of the requesting page
 * @param urls the URLs of the request so far, redirects included
 */
export function fetchSite(page: string, urls: readonly string[]): FetchSite {
  const own = parseUrl(page);
  let site: FetchSite = 'same-origin';
  for (const url of urls) {
    const relation = relationOf(own, urlParts(url));
    if (relation === 'cross-site') return relation;
    if (relation === 'same-site') site = relation;
  }
  return site;
}

function relationOf(own: UrlParts | null, other: UrlParts | null): FetchSite {
  if (own === null || other === null) return 'cross-site';
  if (own.origin === other.origin) return 'same-origin';
  if (own.protocol !== other.protocol) return 'cross-site';
  return siteOf(own.hostname) === siteOf(other.hostname) ? 'same-site' : 'cross-site';
}

/** The registrable domain of a host name, as far as it can be derived without the whole Public Suffix List. */
function siteOf(host: string): string {
  if (/^\[|^[\d.]+$/.test(host)) return host;
  const labels = host.split('.');
  const shared = labels.findIndex((_, i) => SHARED_SUFFIX.test(labels.slice(i).join('.')));
  return labels.slice(shared === -1 ? -2 : Math.max(shared - 1, 0)).join('.');
}

/**
 * True if browsers send Sec-Fetch headers to it: https, and the local machine (Secure Contexts, potentially
 * trustworthy).
 */
export function isTrustworthy(url: string): boolean {
  const target = parseUrl(url);
  if (target === null || target.protocol === 'https:') return target !== null;
  const { hostname } = target;
  return (
    hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || hostname.startsWith('127.')
  );
}
