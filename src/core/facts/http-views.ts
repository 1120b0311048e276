import type { Count, Digest } from '../values/scalars.ts';
import type { Missing } from './missing.ts';
import type { Probe } from './probe.ts';

/** Responses of a URL to the requests of different clients. */

/** Responses of a URL to requests as the service and as a browser send them. */
export interface HttpViews {
  /** GET without an Origin header, as a server-side client sends it. */
  server: Probe;
  /** GET with an Origin header, one probe per requested origin. */
  browser: Probe[];
  /** OPTIONS as a browser sends before a GET with a header that is not safelisted. */
  preflight: Probe | Missing;
  /** The same for each URL in the redirect chain, in order; absent if there were no redirects. */
  preflights?: (Probe | Missing)[];
  head: Probe | Missing;
  /** Conditional GET, sent for one document per kind and host; absent if it was not sent. */
  conditional?: Conditional[];
  /** OPTIONS as a browser sends before a HEAD; sent for one resource per kind and host. */
  headPreflight?: Probe;
  /** GET of an icon as a plain <img> sends it: no-cors, without Origin; sent for one icon per host. */
  image?: Probe;
  /** GET by a client that accepts only gzip, if browsers get another coding. */
  gzip?: Probe;
  /**
   * The revalidation request of a browser that has a stored response; sent for one document or icon per kind and host.
   */
  revalidation?: { condition: Condition; probe: Probe };
  /** Requests sent because a browser's response differed from the first one, to find the headers that cause it. */
  headerProbes?: HeaderProbe[];
  /** Requests repeated because one of them got an error status while a plain GET got the file. */
  repeatedProbes?: RepeatedProbe[];
  /** The answers at each address of its hosts, for those with several. */
  addresses?: (AddressFacts | Missing)[];
}

/** A kind of request sent in addition to the plain GET; `browser` for the GET with Origin. */
export type SideProbe = 'HEAD' | 'preflight' | 'HEAD preflight' | 'condition' | 'range' | 'browser';

/** The result of alternating plain GETs with the other request. */
export interface RepeatedProbe {
  of: SideProbe;
  /** The requested URL; another file of the host if requests to it had already been repeated often enough. */
  url: string;
  /** The statuses in order, including those before a retry; 0 for none. */
  plain: Count[];
  same: Count[];
}

/**
 * The groups of request headers that distinguish a browser from a server-side client: Origin and Referer; Sec-Fetch-*;
 * Accept-Encoding; User-Agent and Accept-Language.
 */
export type HeaderGroup = 'origin' | 'fetch-metadata' | 'encoding' | 'agent';

/** A request with some of the headers of a browser, to find the header that a host refuses. */
export interface HeaderProbe {
  /** Sent as by fetch(), or as by a plain <img>. */
  like: 'fetch' | 'image';
  sent: HeaderGroup[];
  /** Requests of one round are sent concurrently. */
  round: 1 | 2 | 3;
  probe: Probe;
}

/** @asType string */
type ConditionName = 'if-none-match' | 'if-modified-since';

/** The request header: its name in lower case, its value. */
type Condition = [name: ConditionName, value: string];

/** A conditional request (RFC 9110 section 13). */
export interface Conditional {
  condition: Condition;
  /**
   * True for an entity tag that the host never issued, or a date before the last change: "not modified" would be wrong.
   */
  fabricated: boolean;
  probe: Probe;
  /** True if the bytes sent under another entity tag equal those of the first response; null if none were sent. */
  sameBytes: boolean | null;
}

/**
 * Answer of a host at one of its addresses: observed with `--each-address`, for the manifest; and the metadata file,
 * the newest artifact and the icon of apps.
 */
export interface AddressFacts {
  /** The requested URL: that of the resource, or of a redirect to another host. */
  url: string;
  /** In the order of the resolver. */
  answers: AddressAnswer[];
  /** Number of further addresses of the name, which were not requested. */
  leftOut: Count;
  /** The families for which this machine has an address that can reach public ones. */
  families: (4 | 6)[];
}

/** The responses of one address of a host. */
export interface AddressAnswer {
  address: string;
  /**
   * One; or two, if the addresses differed the first time.
   *
   * @minItems 1
   */
  samples: AddressSample[];
}

/** One comparison of a resource at an address of its host. */
export interface AddressSample {
  /** GET as a server-side client sends it. */
  server: Probe;
  /** The decoded body; null without a complete 2xx response. `cut`: up to a limit, the same at each address. */
  content: SampleContent | null;
  /** GET as a browser sends it; null if the first one got no response. */
  browser: Probe | null;
  /** The decoded body that the browser gets; null if it cannot be decoded. Absent for an artifact, of which it asks for a byte. */
  browserContent?: SampleContent | null;
  /** The decoded body for a client that accepts only gzip, if the browser gets another coding; null as above. */
  gzipContent?: SampleContent | null;
}

/** A decoded body. */
export interface SampleContent {
  bytes: Count;
  sha256: Digest;
  /** True if it was read up to a limit, which is the same at each address. */
  cut: boolean;
}
