/**
 * The vocabulary of observation: what somebody who looked at a registry saw. Plain JSON throughout, so that facts can
 * be saved and judged again with the same answer. Nothing here says that anything is right or wrong.
 */

/** The four kinds of resource that a registry is made of (spec 4.1). */
export type ResourceKind = 'manifest' | 'metadata' | 'artifact' | 'icon';

/** A fact that nobody has: why not. `everywhere` when the reason holds for the whole run, as "needs the network" does. */
export interface Missing {
  missing: string;
  runWide?: boolean;
  /** True when nobody asked for it, so that its absence casts no doubt on any symptom. */
  intentional?: boolean;
}

export function isMissing(fact: unknown): fact is Missing {
  return typeof fact === 'object' && fact !== null && (fact as Missing).missing !== undefined;
}

/** Where a resource was looked for, and how its URL answered. `file` is a local path, as the user would name it. */
export interface Resource {
  url: string | null;
  file: string | null;
  web: HttpViews | Missing;
  /** What stands at the local path instead of a readable file; absent when nothing was amiss. */
  local?: 'missing' | 'not-a-file' | 'outside';
  /**
   * Paths below the workspace: the one that the URL leads to, and the one that the folders list, where they differ in
   * case or Unicode normalization. The file is not read then: a host does not find it.
   */
  otherName?: { path: string; listed: string };
  /** ISO 8601. When it was looked at, where this run took that over from an earlier one and did not ask at all. */
  reusedFrom?: string;
  /** ISO 8601. The same of the views as a browser and by HEAD, where only the document or the icon was asked for. */
  viewsReusedFrom?: string;
}

/** A JSON document: its text exactly as found (a BOM included), or base64 when the bytes are not UTF-8. */
export interface DocumentFacts extends Resource {
  content: DocumentContent | Missing;
}
export interface DocumentContent {
  text: string | null;
  base64: string | null;
  /** Size in bytes of the whole document, as far as it was read. */
  bytes: number;
  /** True when reading stopped at the size limit. */
  cut: boolean;
}

/** The bytes of an artifact or an icon, digested while they streamed by. */
export interface Content {
  bytes: number;
  /** Lowercase hexadecimal digests of the bytes as found on disk or on the wire. */
  sha256: string;
  /** '' where the weak digests were not computed: they serve only to name the cause of a mismatch. */
  sha1: string;
  md5: string;
  /** Base64 of the first bytes (up to 512), enough to tell an HTML page from an archive. */
  head: string;
  /** True when reading stopped at the size limit; the digests then cover what was read. */
  cut: boolean;
  /** What the bytes become when the Content-Encoding is undone; null when there is none. */
  decoded: { coding: string; bytes: number; sha256: string; head: string; error: string | null } | null;
  /** SHA-256 of what lies inside the gzip layer; looked at only where the digest is not the listed one. */
  inner?: string | null;
  /** Line feeds in it, and those behind a carriage return; looked at only there as well. */
  lineFeeds?: { all: number; afterCr: number };
}

export interface ArtifactFacts extends Resource {
  content: Content | Missing;
  /** What a second look got, which is taken once where the digest is not the listed one. */
  again?: Content | Missing;
  archive: ArchiveFacts | Missing;
}

/** One strict reading pass over a .tar.gz; nothing is unpacked. */
export interface ArchiveFacts {
  /** What the bytes are, by their magic number: gzip, zip, tar, xz, zstd, html, git-lfs-pointer, empty, … */
  kind: string;
  /** The first thing that kept the pass from reaching a clean end, or null. */
  fault: { layer: 'gzip' | 'tar'; code: string; message: string; offset: number } | null;
  entries: ArchiveEntry[];
  /** Number of entries seen; more than `entries.length` when the list was capped. */
  entryCount: number;
  /** Unpacked bytes seen before the pass ended or was stopped. */
  unpackedBytes: number;
  /** The limit that stopped the pass, or null. */
  stopped: 'unpacked-bytes' | 'ratio' | 'entries' | 'header-bytes' | null;
  /** Bytes after the end of the archive: behind the tar's end mark (unpacked), or behind the gzip stream (packed). */
  trailing: { layer: 'gzip' | 'tar'; bytes: number } | null;
  gzipMembers: number;
  /** Things that readers of archives disagree about, by code. */
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
  /** By the bytes, never by the name: png, svg, jpeg, gif, webp, ico, avif, html, xml, empty, unknown, … */
  kind: string;
  width: number | null;
  height: number | null;
  /** What keeps it from being a whole image of its kind (a truncated PNG, a bad CRC, XML that does not parse), or null. */
  fault: { code: string; message: string } | null;
  /** SVG only: what is active or foreign in it. `line` is 1-based. */
  active: {
    code:
      | 'script'
      | 'event-handler'
      | 'javascript-url'
      | 'foreign-reference'
      | 'foreign-object'
      | 'doctype'
      /** A DOCTYPE whose entities are URLs only: the namespaces that drawing programs declare there. */
      | 'namespace-entities';
    name: string;
    line: number | null;
  }[];
}

/** How a URL answered, as the service asks and as a browser asks. */
export interface HttpViews {
  /** GET without an Origin header, as a server-side client asks. */
  server: Probe;
  /** GET with an Origin header, one visit per origin asked with. */
  browser: Probe[];
  /** OPTIONS as a browser sends before a GET with a header that is not safelisted. */
  preflight: Probe | Missing;
  /** The same at each URL that redirects led to, in their order; absent where there were none. */
  preflights?: (Probe | Missing)[];
  head: Probe | Missing;
  /** GET with a condition, asked of one document per kind and host; absent where it was not asked. */
  conditional?: Conditional[];
  /** OPTIONS as a browser sends before a HEAD; asked of one resource per kind and host. */
  headPreflight?: Probe;
  /** GET of an icon as a plain <img> sends it: no-cors, without Origin; asked of one icon per host. */
  image?: Probe;
  /** GET by a client that accepts gzip and nothing else, where browsers get another coding. */
  gzip?: Probe;
  /** How a browser that has a stored copy asks for it again; asked of one document or icon per kind and host. */
  revalidation?: { condition: Conditional['condition']; visit: Probe };
  /** Requests made since an answer to a browser differed from the first answer: with which headers it comes again. */
  headerProbes?: HeaderProbe[];
  /** Requests repeated since one of them got an error status while a plain GET got the file. */
  repeatedProbes?: RepeatedProbe[];
}
/** A kind of request beside the plain GET; `browser` for the GET with Origin. */
export type SideProbe = 'HEAD' | 'preflight' | 'HEAD preflight' | 'condition' | 'browser';
/** What came of repeating plain GETs and the other request by turns. */
export interface RepeatedProbe {
  of: SideProbe;
  /** What was requested; where requests to that host were repeated enough before, another file of it. */
  url: string;
  /** The statuses in their order, those before a retry included; 0 for none. */
  plain: number[];
  same: number[];
}
/**
 * The groups of request headers that tell a browser from a server-side client: Origin and Referer; Sec-Fetch-*;
 * Accept-Encoding; User-Agent and Accept-Language.
 */
export type HeaderGroup = 'origin' | 'fetch-metadata' | 'encoding' | 'agent';
export interface HeaderProbe {
  /** Whether it was sent as fetch() or as a plain <img> sends it. */
  like: 'fetch' | 'image';
  sent: HeaderGroup[];
  /** Those of a round are sent at the same time. */
  round: 1 | 2 | 3;
  visit: Probe;
}
/** The body of an answer to a client that accepts compression. */
export interface ComparedBody {
  /** The codings in the order in which they were applied, joined by a comma; '' for none. */
  coding: string;
  /** As sent. */
  bytes: number;
  /** What the bytes as sent are, by their beginning: gzip, brotli, json, html, … */
  kind: string;
  /**
   * What clients meet: `broken` (nobody can undo the coding), `truncated` (the stream ends early), `members` (several
   * gzip members, of which browsers read the first), `end` (the end of the stream is wrong, which browsers ignore and
   * Node's fetch does not); null where all is well.
   */
  fault: 'broken' | 'truncated' | 'members' | 'end' | null;
  /** What a browser makes of it; null where that is nothing. */
  decoded: { bytes: number; sha256: string; kind: string } | null;
  /** Whether that says the same as the first answer: equal bytes or an equal JSON value; for icons, an image. */
  same: boolean;
  /** The first answer, decoded. */
  first: { bytes: number; sha256: string };
  /** The coding that the bytes have and Content-Encoding does not name: gzip, deflate, zstd, br. Absent where none is. */
  unlabelled?: string;
}
/** The question whether a document has changed since (RFC 9110 section 13). */
export interface Conditional {
  /** The request header. */
  condition: [name: 'if-none-match' | 'if-modified-since', value: string];
  /** True for an entity tag that the host never issued, or a date before the last change: "not modified" would be untrue. */
  fabricated: boolean;
  visit: Probe;
  /** Whether the bytes that came under another entity tag are those of the first answer; null where none came. */
  sameBytes: boolean | null;
}
/** One request, with the redirects that followed it. */
export interface Probe {
  method: 'GET' | 'HEAD' | 'OPTIONS';
  origin: string | null;
  /** The exchanges in order; the last one is the answer, or the one that failed. */
  hops: Hop[];
  /** What ended the visit before an answer was complete, or null. A failure is a fact. */
  failure: Failure | null;
  attempts: number;
  /** Milliseconds waited because the host asked for it (Retry-After). */
  retryAfterMs: number;
  /** What went wrong in the attempts before the last one: a failure's code, or a status. */
  retriedErrors?: string[];
  /** OPTIONS only: the names in Access-Control-Request-Headers, in lower case. */
  requestedHeaders?: string[];
  /** Of a GET whose body was compared: absent where it was not coded and equal to the first answer. */
  copy?: ComparedBody;
}
export interface Hop {
  url: string;
  /** 0 when it failed before a status came. */
  status: number;
  /** Names in lower case, values as sent, one pair per header line. */
  headers: [string, string][];
  address: string | null;
  tls: TlsFacts | null;
  /** Other addresses of the name that were tried before, and why no connection came about. */
  failedAddresses?: AddressFailure[];
  /** True when “100 Continue” came first, which had not been asked for. */
  unsolicitedContinue?: true;
  /** What it was asked over; absent when the host was asked directly. */
  proxy?: ProxyFacts;
  /** The beginning of the body as text, of a last answer that is not 2xx. */
  excerpt?: string;
}
/** Why an address of a name was not used. Phase, message and certificate are there where it failed in TLS. */
export interface AddressFailure {
  address: string;
  code: string;
  phase?: 'tls';
  message?: string;
  tls?: TlsFacts;
}
export interface ProxyFacts {
  /** Without credentials; '' where the variable holds no URL of a proxy. */
  url: string;
  /** The environment variable that named it. */
  variable: string;
}
export interface Failure {
  /** `unasked`: the host had been asked in vain too often. */
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
  /** Bytes got before it failed, and expected where Content-Length told. */
  got: number | null;
  expected: number | null;
}
export interface TlsFacts {
  protocol: string | null;
  subject: string;
  names: string[];
  issuer: string;
  /** ISO 8601 moments. */
  notBefore: string;
  notAfter: string;
  fingerprint256: string;
  chainLength: number;
  /** True when only an authority that Node does not ship made it trusted. */
  privateCa: boolean;
  /** Where that authority comes from: a flag, an environment variable, or the store of the system. */
  authority?: '--ca' | 'NODE_EXTRA_CA_CERTS' | 'system';
  /** The subject of that authority. */
  authorityName?: string;
  /** How many certificates the host sent, its own included. */
  sent?: number;
  /** The certificate above the host’s own that ends before it does; absent where there is none. */
  endsFirst?: { subject: string; notAfter: string; fingerprint256: string; root: boolean };
  /** The path from the host’s certificate upwards, as far as it is known; there where it was refused. */
  path?: PathCertificate[];
}

/** A certificate on the path from a host’s own to an authority (RFC 5280). */
export interface PathCertificate {
  subject: string;
  issuer: string;
  /** ISO 8601 moments. */
  notBefore: string;
  notAfter: string;
  fingerprint256: string;
  /** Sent by the host, or among the authorities that are trusted here. */
  from: 'host' | 'store';
  /** basicConstraints says CA:TRUE. */
  authority: boolean;
  /** How many CA certificates may follow below it; null for no limit. */
  pathLength: number | null;
  /** Names of RFC 5280, section 4.2.1.3; null where nothing is limited. */
  keyUsage: string[] | null;
  /** Object identifiers; null where nothing is limited. */
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

/** What was asked for by name: apps that ought to be listed, and a version that each of them ought to list. */
export interface RequestedApps {
  apps: readonly string[];
  version: string | null;
}

/** A registry as it was seen at one moment. */
export interface Snapshot {
  snapshot: 1;
  target: string;
  /** ISO 8601. */
  seenAt: string;
  /** The origins asked with, as the user gave them; empty when none was given. */
  origins: string[];
  manifest: DocumentFacts;
  apps: AppFacts[];
  /** Metadata files in a workspace that no app entry points to. */
  orphans: string[];
  /** Why the run did not see everything (it was interrupted, a limit was reached); absent when it did. */
  incomplete?: string | null;
  /** What was asked for by name; absent when nothing was. */
  requested?: RequestedApps | null;
  /** The file that an app's code begins in, at the top of its artifact; absent where that is app.js. */
  appEntry?: string;
  /** Which part of the apps the run was asked for; absent when it was for all of them. */
  shard?: Shard;
  /** The hosts that refused requests for now; absent when there was none. */
  hosts?: HostFacts[];
}

/** How many requests at once a host answered and refused (429, 503, a connection that was refused or reset). */
export interface HostFacts {
  /** Of its URLs: scheme, host and port. */
  origin: string;
  /** By the number of requests that were under way to it when one was sent, that one included; in ascending order. */
  load: { underWay: number; answered: number; refused: number }[];
  /** How it refused, each once: `status 503`, or the code of a failure. */
  refusals: string[];
}

/** One of several runs that share the apps among them. */
export interface Shard {
  /** From 1. */
  index: number;
  of: number;
  /** How many apps the other shards have. */
  elsewhere: number;
}

/** An earlier state of a registry: what had been published. */
export interface Baseline {
  /** As the user would name it: a git ref, a folder, a URL. */
  source: string;
  keys: readonly string[];
  /** The published versions of an app, null when it had none, or why they are not known. */
  app(key: string): PublishedVersion[] | null | Missing;
}
export interface PublishedVersion {
  version: string;
  artifactUrl: string;
  artifactChecksum: string;
}
