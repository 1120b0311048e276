import type { Count, Digest, Integer } from '../values/scalars.ts';

/** One request, and its outcome. */

/** One request, with the redirects that followed it. */
export interface Probe {
  method: 'GET' | 'HEAD' | 'OPTIONS';
  origin: string | null;
  /** The exchanges in order; the last one is the response, or the one that failed. */
  hops: Hop[];
  /** The failure that ended the probe before a response was complete, or null. A failure is a fact. */
  failure: Failure | null;
  attempts: Count;
  /**
   * Milliseconds waited because the host sent Retry-After.
   *
   * @minimum 0
   */
  retryAfterMs: number;
  /**
   * The errors of the attempts before the last one: a failure's code, a status, or what was wrong with a complete
   * response, such as `an HTML page`.
   */
  retriedErrors?: string[];
  /** OPTIONS only: the names in Access-Control-Request-Headers, in lower case. */
  requestedHeaders?: string[];
  /** Of a GET whose body was compared: absent if it was not encoded and equal to the first response. */
  copy?: ComparedBody;
}

/** One response of a request; a redirect has several. */
export interface Hop {
  url: string;
  /**
   * 0 if it failed before a status was received.
   *
   * @asType integer
   * @minimum 0
   * @maximum 999
   */
  status: number;
  /** Names in lower case, values as sent, one pair per header line. */
  headers: [string, string][];
  address: string | null;
  tls: TlsFacts | null;
  /** Other addresses of the name that were tried before, and why they could not be connected to. */
  failedAddresses?: AddressFailure[];
  /** True if an unrequested “100 Continue” was received first. */
  unsolicitedContinue?: true;
  /**
   * The code of the error with which Node.js refuses the response, which was read as browsers read it. Absent if Node.js
   * accepts it.
   */
  refusedByNode?: string;
  /** True if the request carried the credentials of the user; absent otherwise. */
  withCredentials?: true;
  /** The origin that alone gets the credentials of the user, if this one asked for some (401, 403); absent otherwise. */
  credentialsFor?: string;
  /** The proxy used; absent for a direct request. */
  proxy?: ProxyFacts;
  /** The beginning of the body as text, for a final response that is not 2xx. */
  excerpt?: string;
}

/** Failure of an address of a name. Phase, message and certificate are present if it failed in TLS. */
export interface AddressFailure {
  address: string;
  code: string;
  phase?: 'tls';
  message?: string;
  tls?: TlsFacts;
}

/** The proxy of a request. */
export interface ProxyFacts {
  /** Without credentials; '' if the variable does not contain the URL of a proxy. */
  url: string;
  /** The environment variable that named it. */
  variable: string;
}

/** A request that got no response: how far it came, and the error. */
export interface Failure {
  /**
   * `not-sent`: not requested, since too many requests to the host had failed.
   *
   * @asType string
   */
  phase:
    | 'not-sent'
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

/** The body of a response to a client that accepts compression. */
export interface ComparedBody {
  /** The codings in the order in which they were applied, joined by a comma; '' for none. */
  coding: string;
  /** As sent. */
  bytes: Count;
  /** The kind of the bytes as sent, by their first bytes: gzip, brotli, json, html, … */
  kind: string;
  /**
   * The fault that clients encounter: `broken` (the coding cannot be decoded), `truncated` (the stream ends early),
   * `members` (several gzip members, of which browsers read the first), `end` (the end of the stream is invalid, which
   * browsers ignore and Node's fetch does not); null if there is no fault.
   */
  fault: 'broken' | 'truncated' | 'members' | 'end' | null;
  /** The body as a browser decodes it; null if it cannot. */
  decoded: { bytes: Count; sha256: Digest; kind: string } | null;
  /** True if it has the same content as the first response: equal bytes or an equal JSON value; for icons, an image. */
  same: boolean;
  /** The first response, decoded. */
  first: { bytes: Count; sha256: Digest };
  /** The coding of the bytes that Content-Encoding does not name; absent if there is none. */
  missingCoding?: 'gzip' | 'deflate' | 'zstd' | 'br';
}

/** The certificate of a host, and the chain that it sent. */
export interface TlsFacts {
  protocol: string | null;
  subject: string;
  names: string[];
  issuer: string;
  /** ISO 8601. */
  notBefore: string;
  notAfter: string;
  fingerprint256: string;
  chainLength: Count;
  /** True when it is trusted only because of an authority that Node does not ship. */
  privateCa: boolean;
  /** The source of that authority: a flag, an environment variable, or the system's store. */
  authority?: '--ca' | 'NODE_EXTRA_CA_CERTS' | 'system';
  /** The subject of that authority. */
  authorityName?: string;
  /** The number of certificates the host sent, including its own. */
  sent?: Count;
  /** The certificate above the host’s own that expires before it does; absent if there is none. */
  endsFirst?: { subject: string; notAfter: string; fingerprint256: string; root: boolean };
  /** The verified chain, the host’s own certificate first; absent if it was refused. */
  certificates?: ChainCertificate[];
  /** The path from the host’s certificate upwards, as far as it is known; present if the certificate was refused. */
  path?: PathCertificate[];
  /** True if that path ends at an authority that Node ships, so that no proxy has made the certificate. */
  publicAuthority?: true;
}

/** Properties that clients have to support to use a certificate of a verified chain. */
export interface ChainCertificate {
  subject: string;
  /** Its own key: `rsa 2048`, `ec prime256v1`. */
  key: string;
  /**
   * The algorithm that its issuer signed it with: `sha256WithRSA`; null for a root, whose signature is not checked, and if
   * the certificate cannot be read.
   */
  signature: string | null;
  /** Names of RFC 5280, section 4.2.1.3; null for no restriction. */
  keyUsage: string[] | null;
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
  pathLength: Integer | null;
  /** Names of RFC 5280, section 4.2.1.3; null for no restriction. */
  keyUsage: string[] | null;
  /** Object identifiers; null for no restriction. */
  extendedKeyUsage: string[] | null;
  /** Name constraints: `DNS:example.com`, `IP:10.0.0.0/8`. */
  permitted: string[];
  excluded: string[];
  /** The algorithm that its issuer signed it with: `sha256WithRSA`; null if the certificate cannot be read. */
  signature: string | null;
  /** Its own key: `rsa 2048`, `ec prime256v1`. */
  key: string;
  /** True if the next certificate’s key verifies its signature; null for the last one. */
  signatureValid: boolean | null;
}
