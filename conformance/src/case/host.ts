import type { Count, NotBlank, PositiveInteger } from 'appreg';

/** The cases of hosts: requests as data, and checks of the responses to them. */

/**
 * Sender of a request. `service`: by a server-side client; `page`: by `fetch()` of a page of another origin, as
 * Chromium sends it; `opaque-page`: the same from a page whose origin is `null`; `image`: by a plain <img>.
 */
export type HostClient = 'service' | 'page' | 'opaque-page' | 'image';

export interface HostRequest {
  /** The name of the response in checks and in later requests. */
  as: NotBlank;
  /** Relative to the folder of the uploaded tree, as it is sent. */
  path: string;
  /** `service` if absent. */
  client?: HostClient;
  /** GET if absent. */
  method?: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'DELETE';
  /** `{get:etag}` is replaced by the header ETag of the response `get`. */
  headers?: Readonly<Record<string, string>>;
  /** Accept-Encoding of a server-side client; `identity` if absent. */
  encoding?: string;
  /** The request that a preflight (OPTIONS) asks for: its method and its headers in lower case. */
  preflight?: { method: 'GET' | 'HEAD'; headers: readonly string[] };
  /** True to send the path without normalizing it as URLs are. */
  literal?: boolean;
  /** The number of characters of a query that is added. */
  query?: PositiveInteger;
  /** The number of requests that are sent at once. */
  times?: PositiveInteger;
  /** True to send the request before it over the same connection, and keep it open. */
  reuse?: boolean;
}

/** A property of the connection, which no request shows. */
export type ConnectionTest = 'https' | 'certificate' | 'old-tls' | 'tls-versions' | 'http2' | 'plain-http';

export interface HostScript {
  /** Sent one after the other. */
  requests?: readonly HostRequest[];
  connection?: ConnectionTest;
}

/** Setting of a host; settings.ts tells for known hosts how to set it. */
export type HostSetting =
  | 'browsers'
  | 'cache'
  | 'cache-errors'
  | 'case'
  | 'compression'
  | 'cookies'
  | 'cors'
  | 'cors-vary'
  | 'encoding'
  | 'errors'
  | 'etag'
  | 'isolation'
  | 'keep-alive'
  | 'length'
  | 'limits'
  | 'methods'
  | 'paths'
  | 'preflight'
  | 'publish'
  | 'ranges'
  | 'redirects'
  | 'tls'
  | 'types'
  | 'write';

/** A file of the tree of `conformance fixtures`. */
type FixturePath = string;

/** The kind of file, as rules distinguish them. */
type HostResource = 'manifest' | 'metadata' | 'artifact' | 'icon';

/** The rules of appreg that judge responses; docs/rules.md describes them. */
const HOST_RULES = [
  'cache-lifetime-long',
  'cache-lifetime-missing',
  'compressed-copy-not-varied',
  'conditional-request-rejected',
  'content-encoded',
  'content-type-wrong',
  'cors-not-varied',
  'cors-revalidation-refused',
  'etag-unstable',
  'head-refused',
  'icon-type-wrong',
  'last-modified-only',
  'not-modified-incorrect',
  'redirect-insecure',
  'tls-expiring',
] as const;
type HostRule = (typeof HOST_RULES)[number];

/** One thing that holds for the response named `of`, or for each of them if it was requested several times. */
export type HostCheck =
  /** Its status is one of these: `200`, or `4xx` for a class, or `any` response at all. */
  | { check: 'status'; of: string; is: readonly string[] }
  /** The body as sent is this file, or the part of it from a byte (included) to another (excluded). */
  | { check: 'bytes'; of: string; file: FixturePath; from?: Count; to?: Count }
  /** The body is this file once its Content-Encoding is undone. */
  | { check: 'content'; of: string; file: FixturePath }
  /** The body has no Content-Encoding. */
  | { check: 'not-encoded'; of: string }
  /** It has the header, whose value is this one, matches a regular expression, or is that of another response. */
  | { check: 'header'; of: string; name: string; is?: string; matches?: string; as?: string }
  | { check: 'no-header'; of: string; name: string }
  /** Content-Length is the size of this file, if it is sent and there is no Content-Encoding. */
  | { check: 'length'; of: string; file: FixturePath }
  /** Browsers let the page read it (Fetch, “CORS check”). */
  | { check: 'cors'; of: string }
  /** Browsers send the request after this preflight (Fetch, “CORS-preflight fetch”). */
  | { check: 'preflight'; of: string }
  /** It was received without a redirect. */
  | { check: 'not-redirected'; of: string }
  /** It came over the connection of the request before it. */
  | { check: 'reused'; of: string }
  /** It is not a web page with a status of success. */
  | { check: 'not-page'; of: string }
  /** Caches may keep it for an hour at most. */
  | { check: 'short-lived'; of: string }
  /** Cross-Origin-Resource-Policy lets pages of other sites embed it. */
  | { check: 'embeddable'; of: string }
  /** The rule finds no problem in these responses to the same file. */
  | {
      check: 'rule';
      rule: HostRule;
      resource: HostResource;
      of: string;
      page?: string;
      head?: string;
      /** The response to a condition that the host never issued. */
      fabricated?: string;
      /** The response to the condition that the host just issued. */
      conditional?: string;
      /** The same, as a browser sends it. */
      revalidation?: string;
    }
  /** The property of the connection that the script tests. */
  | { check: 'connection' };

export type HostExpectation = readonly HostCheck[];
