import type { MissingReason } from './missing.ts';
import type { ResourceKind } from './resource-kind.ts';

export type { ResourceKind };

/**
 * The vocabulary of observation: what was observed of a registry. Plain JSON throughout, so that facts can be saved and
 * judged again with the same result. No fact says that anything is right or wrong.
 */

/** A missing fact, and why it is not known. */
export interface Missing {
  missing: MissingReason;
  /** True when the reason holds for the whole run, as `offline` does. */
  runWide?: boolean;
  /** True when it was not requested, so that its absence casts no doubt on any symptom. */
  intentional?: boolean;
}

export function isMissing(fact: unknown): fact is Missing {
  return typeof fact === 'object' && fact !== null && 'missing' in fact && fact.missing !== undefined;
}

/** Where a resource was looked up, and how its URL responded. `file` is a local path, as the user would name it. */
export interface Resource {
  url: string | null;
  file: string | null;
  web: HttpViews | Missing;
  /** What is at the local path instead of a readable file; absent for a readable file. */
  local?: 'missing' | 'not-a-file' | 'outside';
  /**
   * Paths relative to the workspace: the one that the URL refers to, and the one that the directories list, if they
   * differ in case or Unicode normalization. The file is not read then: a host does not find it.
   */
  otherName?: { path: string; listed: string };
  /** ISO 8601. When it was observed, if this run reused an earlier observation and sent no request. */
  reusedFrom?: string;
  /** ISO 8601. The same for the browser and HEAD views, if only the document or the icon was requested. */
  viewsReusedFrom?: string;
}

/** A JSON document: its text exactly as found (a BOM included), or base64 when the bytes are not UTF-8. */
export interface DocumentFacts extends Resource {
  content: DocumentContent | Missing;
}
export interface DocumentContent {
  text: string | null;
  base64: string | null;
  /** Size in bytes of the document, as far as it was read. */
  bytes: number;
  /** True when reading stopped at the size limit. */
  cut: boolean;
}

/** The bytes of an artifact or an icon, digested while streaming. */
export interface Content {
  bytes: number;
  /** Lowercase hexadecimal digests of the bytes as found on disk or on the wire. */
  sha256: string;
  /** '' if the weak digests were not computed: they only identify the cause of a mismatch. */
  sha1: string;
  md5: string;
  /** Base64 of the first bytes (up to 512), enough to distinguish an HTML page from an archive. */
  head: string;
  /** True when reading stopped at the size limit; the digests then cover what was read. */
  cut: boolean;
  /** The bytes after decoding the Content-Encoding; null when there is none. */
  decoded: { coding: string; bytes: number; sha256: string; head: string; error: string | null } | null;
  /** SHA-256 of the content of the gzip layer; computed only if the digest is not the listed one. */
  inner?: string | null;
  /** Line feeds in it, and those after a carriage return; counted only in that case as well. */
  lineFeeds?: { all: number; afterCr: number };
}

export interface ArtifactFacts extends Resource {
  content: Content | Missing;
  /** The result of a second download, which is made once if the digest is not the listed one. */
  again?: Content | Missing;
  archive: ArchiveFacts | Missing;
}

/** One strict pass over a .tar.gz; nothing is unpacked. */
export interface ArchiveFacts {
  /** The kind of the bytes, by their magic number: gzip, zip, tar, xz, zstd, html, git-lfs-pointer, empty, … */
  kind: string;
  /** The first fault that kept the pass from reaching a clean end, or null. */
  fault: { layer: 'gzip' | 'tar'; code: string; message: string; offset: number } | null;
  entries: ArchiveEntry[];
  /** Number of entries seen; more than `entries.length` when the list was capped. */
  entryCount: number;
  /** Unpacked bytes seen before the pass ended or was stopped. */
  unpackedBytes: number;
  /** The limit that stopped the pass, or null. */
  stopped: 'unpacked-bytes' | 'ratio' | 'entries' | 'header-bytes' | null;
  /** Bytes after the end of the archive: after the tar's end mark (unpacked), or after the gzip stream (packed). */
  trailing: { layer: 'gzip' | 'tar'; bytes: number } | null;
  gzipMembers: number;
  /** Ambiguities that archive readers handle differently, by code. */
  oddities: { code: string; entry: string | null; message: string }[];
}
export interface ArchiveEntry {
  path: string;
  type:
    | 'file'
    | 'directory'
    | 'symlink'
    | 'link'
    | 'character-device'
    | 'block-device'
    | 'fifo'
    | 'contiguous'
    | 'other';
  size: number;
  mode: number;
  link: string | null;
}

export interface IconFacts extends Resource {
  content: Content | Missing;
  image: ImageFacts | Missing;
}
export interface ImageFacts {
  /** By content, not by name: png, svg, jpeg, gif, webp, ico, avif, html, xml, empty, unknown, … */
  kind: string;
  width: number | null;
  height: number | null;
  /** What keeps it from being a complete image of its kind (a truncated PNG, a bad CRC, malformed XML), or null. */
  fault: { code: string; message: string } | null;
  /** SVG only: active or external content in it. `line` is 1-based. */
  active: {
    code:
      | 'script'
      | 'event-handler'
      | 'javascript-url'
      | 'foreign-reference'
      | 'foreign-object'
      | 'doctype'
      /** A DOCTYPE whose entities are only URLs: the namespaces that drawing programs declare there. */
      | 'namespace-entities';
    name: string;
    line: number | null;
  }[];
}

/** How a URL responds to requests as the service and as a browser send them. */
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
  revalidation?: { condition: Conditional['condition']; visit: Probe };
  /** Requests sent because a browser's response differed from the first one, to find the headers that cause it. */
  headerProbes?: HeaderProbe[];
  /** Requests repeated because one of them got an error status while a plain GET got the file. */
  repeatedProbes?: RepeatedProbe[];
}
/** A kind of request sent in addition to the plain GET; `browser` for the GET with Origin. */
export type SideProbe = 'HEAD' | 'preflight' | 'HEAD preflight' | 'condition' | 'browser';
/** The result of alternating plain GETs with the other request. */
export interface RepeatedProbe {
  of: SideProbe;
  /** The requested URL; another file of the host if requests to it had already been repeated often enough. */
  url: string;
  /** The statuses in order, including those before a retry; 0 for none. */
  plain: number[];
  same: number[];
}
/**
 * The groups of request headers that distinguish a browser from a server-side client: Origin and Referer; Sec-Fetch-*;
 * Accept-Encoding; User-Agent and Accept-Language.
 */
export type HeaderGroup = 'origin' | 'fetch-metadata' | 'encoding' | 'agent';
export interface HeaderProbe {
  /** Whether it was sent as by fetch() or as by a plain <img>. */
  like: 'fetch' | 'image';
  sent: HeaderGroup[];
  /** Requests of one round are sent concurrently. */
  round: 1 | 2 | 3;
  visit: Probe;
}
/** The body of a response to a client that accepts compression. */
export interface ComparedBody {
  /** The codings in the order in which they were applied, joined by a comma; '' for none. */
  coding: string;
  /** As sent. */
  bytes: number;
  /** The kind of the bytes as sent, by their first bytes: gzip, brotli, json, html, … */
  kind: string;
  /**
   * What clients encounter: `broken` (the coding cannot be decoded), `truncated` (the stream ends early), `members`
   * (several gzip members, of which browsers read the first), `end` (the end of the stream is invalid, which browsers
   * ignore and Node's fetch does not); null if there is no fault.
   */
  fault: 'broken' | 'truncated' | 'members' | 'end' | null;
  /** The body as a browser decodes it; null if it cannot. */
  decoded: { bytes: number; sha256: string; kind: string } | null;
  /** Whether it has the same content as the first response: equal bytes or an equal JSON value; for icons, an image. */
  same: boolean;
  /** The first response, decoded. */
  first: { bytes: number; sha256: string };
  /** The coding of the bytes that Content-Encoding does not name: gzip, deflate, zstd, br. Absent if there is none. */
  unlabelled?: string;
}
/** A conditional request (RFC 9110 section 13). */
export interface Conditional {
  /** The request header. */
  condition: [name: 'if-none-match' | 'if-modified-since', value: string];
  /**
   * True for an entity tag that the host never issued, or a date before the last change: "not modified" would be wrong.
   */
  fabricated: boolean;
  visit: Probe;
  /** Whether the bytes sent under another entity tag equal those of the first response; null if none were sent. */
  sameBytes: boolean | null;
}
/** One request, with the redirects that followed it. */
export interface Probe {
  method: 'GET' | 'HEAD' | 'OPTIONS';
  origin: string | null;
  /** The exchanges in order; the last one is the response, or the one that failed. */
  hops: Hop[];
  /** What ended the probe before a response was complete, or null. A failure is a fact. */
  failure: Failure | null;
  attempts: number;
  /** Milliseconds waited because the host sent Retry-After. */
  retryAfterMs: number;
  /** The errors of the attempts before the last one: a failure's code, or a status. */
  retriedErrors?: string[];
  /** OPTIONS only: the names in Access-Control-Request-Headers, in lower case. */
  requestedHeaders?: string[];
  /** Of a GET whose body was compared: absent if it was not encoded and equal to the first response. */
  copy?: ComparedBody;
}
export interface Hop {
  url: string;
  /** 0 if it failed before a status was received. */
  status: number;
  /** Names in lower case, values as sent, one pair per header line. */
  headers: [string, string][];
  address: string | null;
  tls: TlsFacts | null;
  /** Other addresses of the name that were tried before, and why they could not be connected to. */
  failedAddresses?: AddressFailure[];
  /** True if an unrequested “100 Continue” was received first. */
  unsolicitedContinue?: true;
  /** The proxy used; absent for a direct request. */
  proxy?: ProxyFacts;
  /** The beginning of the body as text, for a final response that is not 2xx. */
  excerpt?: string;
}
/** Why an address of a name was not used. Phase, message and certificate are present if it failed in TLS. */
export interface AddressFailure {
  address: string;
  code: string;
  phase?: 'tls';
  message?: string;
  tls?: TlsFacts;
}
export interface ProxyFacts {
  /** Without credentials; '' if the variable does not contain the URL of a proxy. */
  url: string;
  /** The environment variable that named it. */
  variable: string;
}
export interface Failure {
  /** `unasked`: not requested, since too many requests to the host had failed. */
  phase:
    | 'unasked'
    | 'url'
    | 'proxy'
    | 'dns'
    | 'connect'
    | 'tls'
    | 'request'
    | 'headers'
    | 'body'
    | 'decode'
    | 'redirect'
    | 'time'
    | 'size';
  /** The system's or library's code: ENOTFOUND, ECONNREFUSED, CERT_HAS_EXPIRED, REDIRECT_LOOP, … */
  code: string;
  message: string;
  url: string;
  /** Bytes received before it failed, and expected according to Content-Length. */
  got: number | null;
  expected: number | null;
}
export interface TlsFacts {
  protocol: string | null;
  subject: string;
  names: string[];
  issuer: string;
  /** ISO 8601. */
  notBefore: string;
  notAfter: string;
  fingerprint256: string;
  chainLength: number;
  /** True when it is trusted only because of an authority that Node does not ship. */
  privateCa: boolean;
  /** The source of that authority: a flag, an environment variable, or the system's store. */
  authority?: '--ca' | 'NODE_EXTRA_CA_CERTS' | 'system';
  /** The subject of that authority. */
  authorityName?: string;
  /** The number of certificates the host sent, including its own. */
  sent?: number;
  /** The certificate above the host’s own that expires before it does; absent if there is none. */
  endsFirst?: { subject: string; notAfter: string; fingerprint256: string; root: boolean };
  /** The path from the host’s certificate upwards, as far as it is known; present if the certificate was refused. */
  path?: PathCertificate[];
}

/** A certificate on the path from a host’s own to an authority (RFC 5280). */
export interface PathCertificate {
  subject: string;
  issuer: string;
  /** ISO 8601. */
  notBefore: string;
  notAfter: string;
  fingerprint256: string;
  /** Sent by the host, or found among the locally trusted authorities. */
  from: 'host' | 'store';
  /** basicConstraints says CA:TRUE. */
  authority: boolean;
  /** The number of CA certificates that may follow below it; null for no limit. */
  pathLength: number | null;
  /** Names of RFC 5280, section 4.2.1.3; null for no restriction. */
  keyUsage: string[] | null;
  /** Object identifiers; null for no restriction. */
  extendedKeyUsage: string[] | null;
  /** Name constraints: `DNS:example.com`, `IP:10.0.0.0/255.0.0.0`. */
  permitted: string[];
  excluded: string[];
  /** The algorithm that its issuer signed it with: `sha256WithRSA`. */
  signature: string;
  /** Its own key: `rsa 2048`, `ec prime256v1`. */
  key: string;
  /** Whether the next certificate’s key verifies its signature; null for the last one. */
  signatureValid: boolean | null;
}

/** The facts about one app: its metadata file, its icon, and one entry per element of `versions`, in that order. */
export interface AppFacts {
  key: string;
  metadata: DocumentFacts;
  icon: IconFacts;
  artifacts: ArtifactFacts[];
}

/** What was requested by name: apps that should be listed, and a version that each of them should list. */
export interface RequestedApps {
  apps: readonly string[];
  version: string | null;
}

/** The observed state of a registry. */
export interface Snapshot {
  snapshot: 1;
  target: string;
  /** ISO 8601. */
  seenAt: string;
  /** The requested origins, as the user gave them; empty when none was given. */
  origins: string[];
  manifest: DocumentFacts;
  apps: AppFacts[];
  /** Metadata files in a workspace that no app entry points to. */
  orphans: string[];
  /** Why the run did not observe everything (it was interrupted, a limit was reached); absent when it did. */
  incomplete?: string | null;
  /** What was requested by name; absent for no such request. */
  requested?: RequestedApps | null;
  /** The entry file of an app's code, at the top level of its artifact; absent if it is app.js. */
  appEntry?: string;
  /** The part of the apps that the run covers; absent when it covers all of them. */
  shard?: Shard;
  /** The hosts that temporarily refused requests; absent when there was none. */
  hosts?: HostFacts[];
}

/** How many concurrent requests a host answered and refused (429, 503, a refused or reset connection). */
export interface HostFacts {
  /** Scheme, host and port of its URLs. */
  origin: string;
  /** By the number of requests in flight to it when one was sent, that one included; in ascending order. */
  load: { underWay: number; answered: number; refused: number }[];
  /** The kinds of refusal, each once: `status 503`, or the code of a failure. */
  refusals: string[];
}

/** One of several runs that divide the apps among them. */
export interface Shard {
  /** From 1. */
  index: number;
  of: number;
  /** The number of apps in the other shards. */
  elsewhere: number;
}

/** A baseline of a registry: what had been published. */
export interface Baseline {
  /** As the user would name it: a git ref, a folder, a URL. */
  source: string;
  keys: readonly string[];
  /** The published versions of an app, null when it had none, or why they are missing. */
  app(key: string): PublishedVersion[] | null | Missing;
}
export interface PublishedVersion {
  version: string;
  artifactUrl: string;
  artifactChecksum: string;
}
