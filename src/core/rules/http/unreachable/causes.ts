import type { SafeText } from '../../../text/message.ts';
import type { Failure, Probe } from '../../../facts/facts.ts';
import type { Evidence } from '../../../values/evidence.ts';
import { authorOrCopy, hostOrCache, proxyOr } from '../../owners.ts';
import type { CauseOf, Causes } from '../../cause.ts';

/** The causes of the rule, and the form of the tables that explain them. */
export const UNREACHABLE_CAUSES = {
  'dns-not-found': { title: 'The host name does not exist', owner: 'author' },
  'dns-temporary': { title: 'The name servers do not respond', owner: 'network' },
  'dns-failed': { title: 'The host name cannot be resolved' },
  refused: { title: 'The connection is refused' },
  'no-route': { title: 'The network has no route to the host', owner: 'network' },
  'no-ipv6-here': { title: 'This machine has no IPv6 route to the host' },
  'connect-timeout': { title: 'The connection times out', owner: 'network' },
  'connection-failed': { title: 'The connection fails', owner: 'network' },
  'not-reached': { title: 'The service cannot connect to the host' },
  'port-refused': { title: 'The service does not connect to this port' },
  'insecure-refused': { title: 'The service does not send unencrypted requests to this host' },
  'expects-tls': { title: 'The server expects TLS, and the URL is http', owner: 'author' },
  'not-tls': { title: 'The server does not speak TLS', owner: proxyOr('host') },
  'tls-unknown-name': { title: 'The server has no certificate for this name', owner: proxyOr('host') },
  'tls-timeout': { title: 'The TLS handshake times out', owner: proxyOr('network') },
  'tls-reset': { title: 'The connection is closed during the TLS handshake', owner: proxyOr('network') },
  'tls-failed': { title: 'The TLS handshake fails', owner: proxyOr('host') },
  'http2-only': { title: 'The host supports only HTTP/2' },
  'proxy-authentication': { title: 'The proxy requires a login', owner: 'user' },
  'proxy-refused-host': { title: 'The proxy refuses to connect to the host', owner: 'user' },
  'proxy-cannot-reach-host': { title: 'The proxy cannot reach the host', owner: 'network' },
  'proxy-untrusted': { title: 'The certificate of the proxy is not trusted', owner: 'user' },
  'proxy-unusable': { title: 'The proxy setting is not valid', owner: 'user' },
  'proxy-not-found': { title: 'The name of the proxy cannot be resolved', owner: 'user' },
  'proxy-refused': { title: 'The proxy refuses the connection', owner: 'user' },
  'proxy-timeout': { title: 'The proxy does not respond in time', owner: 'user' },
  'proxy-not-http': { title: 'The proxy does not speak HTTP', owner: 'user' },
  'proxy-handshake': { title: 'The TLS handshake with the proxy fails', owner: 'user' },
  'proxy-page': { title: 'The proxy responds with a page instead of a tunnel', owner: 'user' },
  'proxy-reset': { title: 'The proxy closes the connection', owner: 'user' },
  'proxy-failed': { title: 'The connection to the proxy fails', owner: 'user' },
  reset: { title: 'The connection is closed before a response', owner: 'network' },
  'no-answer': { title: 'The host does not respond in time' },
  'not-http': { title: 'The response is not valid HTTP' },
  failed: { title: 'The request fails for another reason', owner: 'network' },
  truncated: { title: 'The response ends early' },
  stalled: { title: 'The host stops sending' },
  'too-slow': { title: 'The response takes too long' },
  'too-large': { title: 'The response is too large' },
  'content-encoding-broken': { title: 'The response cannot be decoded', owner: hostOrCache, purge: 'last' },
  'unsolicited-partial': { title: 'The host sends a part (206) that was not requested', owner: 'cache' },
  'redirect-without-location': { title: 'A redirect has no Location' },
  'redirect-malformed': { title: 'A redirect leads to an invalid URL' },
  'redirect-credentials': { title: 'A redirect leads to a URL with a user name or password' },
  'redirect-port-blocked': { title: 'A redirect leads to a port that browsers block' },
  'redirect-ambiguous': { title: 'A redirect has several Location headers' },
  'rate-limited': { title: 'The host limits requests (429, or 503 with Retry-After)' },
  maintenance: { title: 'The host is in maintenance' },
  'bot-protection': { title: 'Bot protection of the host challenges the client' },
  firewall: { title: 'A firewall of the host blocks the request' },
  'origin-down': { title: 'The CDN cannot reach the server behind it' },
  'no-site': { title: 'The host has no site for this domain', owner: 'author' },
  'parked-domain': { title: 'The domain is parked', owner: 'author' },
  'captive-portal': {
    title: 'A captive portal or proxy of the network responds instead of the host',
    owner: 'user',
  },
  'wrong-region': { title: 'The bucket is in another region', owner: 'author' },
  'no-content': { title: 'The host responds without content (204, 205)' },
  'client-certificate-required': { title: 'The host requires a client certificate' },
  'credentials-refused': { title: 'The host refuses the credentials', owner: 'user' },
  'signature-expired': { title: 'The signed URL has expired', owner: 'author' },
  'status-304': { title: 'The host responds with 304 to an unconditional request', owner: 'cache' },
  'status-404': { title: 'The file does not exist', owner: authorOrCopy },
  'status-407': { title: 'A proxy requires a login', owner: 'user' },
  'status-410': { title: 'The file was removed', owner: authorOrCopy },
  'status-451': { title: 'The file was removed for legal reasons', owner: 'author' },
  'status-*': { title: 'The host responds with this status' },
} satisfies Causes;

type UnreachableCause = CauseOf<typeof UNREACHABLE_CAUSES>;

export interface Explanation {
  cause: UnreachableCause;
  message: SafeText;
  advice: SafeText;
  evidence?: Evidence;
}

/** A failed request: the URL that failed may be the target of a redirect. */
export interface FailedRequest {
  failure: Failure;
  probe: Probe;
  /** The host with its port; `name` is without. */
  host: string;
  name: string;
}

/** A text, or how to make it. */
type Text<T> = SafeText | ((about: T) => SafeText);

/** A row of a table: the first one that applies explains the failure. */
export interface Row<T> {
  when: (about: T) => boolean;
  cause: UnreachableCause | ((about: T) => UnreachableCause);
  message: Text<T>;
  advice: Text<T>;
  evidence?: (about: T) => Evidence;
}

/** The explanation of the first row that applies; null if none does. */
export function explain<T>(rows: readonly Row<T>[], about: T): Explanation | null {
  const row = rows.find(({ when }) => when(about));
  if (row === undefined) return null;
  const { cause, message, advice, evidence } = row;
  return {
    cause: typeof cause === 'function' ? cause(about) : cause,
    message: typeof message === 'string' ? message : message(about),
    advice: typeof advice === 'string' ? advice : advice(about),
    ...(evidence ? { evidence: evidence(about) } : {}),
  };
}

/** For `when`: the failure has one of these codes. */
export function hasCode(...codes: readonly string[]): (request: FailedRequest) => boolean {
  return ({ failure }) => codes.includes(failure.code);
}
