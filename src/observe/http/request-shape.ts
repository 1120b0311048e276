import type { HeaderGroup, Hop } from '../../core/facts/facts.ts';
import { fetchSite, isTrustworthy } from '../../core/url/site.ts';
import { VERSION } from '../../core/values/tool-version.ts';

/**
 * The wire format of a browser's requests. Captured from Chromium 156, for fetch() and <img>, at the page's own origin,
 * at another one and after redirects (test/browser/request-shape.test.ts compares both). Client hints (Sec-CH-UA) are
 * left out: other browsers send none, and Chromium sends none with a preflight.
 */
export interface RequestShape {
  /** The origin of the requesting page. */
  page: string;
  /** Request mode and destination (Fetch): `no-cors` and `image` are those of a plain <img>. */
  mode: 'cors' | 'no-cors';
  destination: 'empty' | 'image';
  /** The groups of headers to send; other headers are those of a server-side client. */
  groups: readonly HeaderGroup[];
  /** Accept-Encoding, if it differs from a browser's. */
  encoding?: string;
}

/** All groups that a browser sends. */
export const ALL_GROUPS: readonly HeaderGroup[] = ['origin', 'fetch-metadata', 'encoding', 'agent'];
/** All groups but that for compression, so that lengths and entity tags can be compared with those of the plain response. */
export const UNCOMPRESSED: readonly HeaderGroup[] = ['origin', 'fetch-metadata', 'agent'];

/** The `Accept` header of Chromium for images. */
export const IMAGE_ACCEPT = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';

// The form that crawlers use: hosts that check for a browser find one, and logs identify the client.
const BROWSER_AGENT = `Mozilla/5.0 (compatible; appreg/${VERSION}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36`;

const OWN_AGENT = `appreg/${VERSION}`;

/**
 * The headers of one request of this shape, except Origin, which depends on the redirects (core/http/cors.ts).
 * @param before the redirects that led to `url`
 */
export function shapedHeaders(
  shape: RequestShape | null,
  before: readonly Pick<Hop, 'url'>[],
  url: string,
): [string, string][] {
  if (shape === null)
    return [
      ['user-agent', OWN_AGENT],
      ['accept-encoding', 'identity'],
    ];
  const groups = new Set(shape.groups);
  const secure = isTrustworthy(url);
  const urls = [...before.map((hop) => hop.url), url];
  const headers: [string, string][] = [
    ['user-agent', groups.has('agent') ? BROWSER_AGENT : OWN_AGENT],
    // Chromium adds zstd, which not every Node version can decode.
    [
      'accept-encoding',
      groups.has('encoding') ? (shape.encoding ?? `gzip, deflate${secure ? ', br' : ''}`) : 'identity',
    ],
  ];
  if (groups.has('agent')) headers.push(['accept-language', 'en-US,en;q=0.9']);
  if (groups.has('fetch-metadata') && secure)
    headers.push(
      ['sec-fetch-site', fetchSite(shape.page, urls)],
      ['sec-fetch-mode', shape.mode],
      ['sec-fetch-dest', shape.destination],
    );
  // The default of pages is strict-origin-when-cross-origin: no referrer from https to http.
  const leaks = shape.page.startsWith('https:') && !secure;
  if (groups.has('origin') && shape.page.startsWith('http') && !leaks) headers.push(['referer', `${shape.page}/`]);
  return headers;
}

/** True if a text is an entity tag, weak or strong; looser than RFC 9110, as browsers are. */
export function isEntityTag(text: string): boolean {
  return /^(?:W\/)?"[^"]*"$/.test(text);
}
