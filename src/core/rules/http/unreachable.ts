import { authorOrCopy, hostOrCache } from '../owners.ts';
import { blockedPort } from '../../http/blocked-ports.ts';
import type { Failure, Probe } from '../../facts/facts.ts';
import { header, headerLines, retryAfter } from '../../http/headers.ts';
import { proxyFault } from '../../http/proxy.ts';
import type { Evidence } from '../../engine/report.ts';
import { signatureEnd } from '../../http/signed-url.ts';
import { counted, printable, shorten } from '../../text/text.ts';
import { parseUrl } from '../../http/url.ts';
import { hostnameOf, hostOf, lastHop, NOT_REACHED, PORT_REFUSED, ruleOfFailure } from '../../http/probe.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule } from '../rule.ts';
import { urlPortBlocked } from '../urls/url-port-blocked.ts';

const CAUSES = {
  'dns-not-found': { title: 'The host name does not exist', owner: 'network' },
  'dns-temporary': { title: 'The name servers do not respond', owner: 'network' },
  'dns-failed': { title: 'The host name cannot be resolved', owner: 'network' },
  refused: { title: 'The connection is refused' },
  'no-route': { title: 'There is no route to the host', owner: 'network' },
  'no-ipv6-here': { title: 'This machine has no IPv6 route to the host' },
  'connect-timeout': { title: 'The connection times out', owner: 'network' },
  'connection-failed': { title: 'The connection fails', owner: 'network' },
  'not-reached': { title: 'The service cannot connect to the host' },
  'port-refused': { title: 'The service does not connect to this port' },
  'not-tls': { title: 'The server does not speak TLS' },
  'tls-unknown-name': { title: 'The server has no certificate for this name' },
  'tls-timeout': { title: 'The TLS handshake times out', owner: 'network' },
  'tls-reset': { title: 'The connection is closed during the TLS handshake', owner: 'network' },
  'tls-failed': { title: 'The TLS handshake fails' },
  'http2-only': { title: 'The host supports only HTTP/2' },
  'proxy-authentication': { title: 'The proxy requires a login', owner: 'network' },
  'proxy-refused-host': { title: 'The proxy refuses to connect to the host', owner: 'network' },
  'proxy-no-way': { title: 'The proxy cannot reach the host', owner: 'network' },
  'proxy-untrusted': { title: 'The certificate of the proxy is not trusted', owner: 'network' },
  'proxy-unusable': { title: 'The proxy setting is not valid', owner: 'network' },
  'proxy-not-found': { title: 'The name of the proxy cannot be resolved', owner: 'network' },
  'proxy-refused': { title: 'The proxy refuses the connection', owner: 'network' },
  'proxy-timeout': { title: 'The proxy does not respond in time', owner: 'network' },
  'proxy-not-http': { title: 'The proxy does not speak HTTP', owner: 'network' },
  'proxy-reset': { title: 'The proxy closes the connection', owner: 'network' },
  'proxy-failed': { title: 'The connection to the proxy fails', owner: 'network' },
  reset: { title: 'The connection is closed before a response', owner: 'network' },
  'no-answer': { title: 'The host does not respond in time' },
  'not-http': { title: 'The response is not valid HTTP', owner: 'network' },
  failed: { title: 'The request fails for another reason', owner: 'network' },
  truncated: { title: 'The response ends early' },
  stalled: { title: 'The host stops sending' },
  'too-slow': { title: 'The response takes too long' },
  'too-large': { title: 'The response is too large' },
  'content-encoding-broken': { title: 'The response cannot be decoded', owner: hostOrCache, purge: 'last' },
  'partial-unasked': { title: 'The host sends a part (206) that was not requested', owner: 'cache' },
  'redirect-without-location': { title: 'A redirect has no Location' },
  'redirect-malformed': { title: 'A redirect leads to an invalid URL' },
  'redirect-credentials': { title: 'A redirect leads to a URL with a user name or password' },
  'redirect-port-blocked': { title: 'A redirect leads to a port that browsers block' },
  'redirect-ambiguous': { title: 'A redirect has several Location headers' },
  'rate-limited': { title: 'The host limits requests (429, or 503 with Retry-After)' },
  'captive-portal': { title: 'A captive portal responds instead of the host (511)', owner: 'network' },
  'client-certificate-required': { title: 'The host requires a client certificate' },
  'signature-expired': { title: 'The signed URL has expired', owner: 'author' },
  'status-304': { title: 'The host answers 304 to an unconditional request', owner: 'cache' },
  'status-404': { title: 'The file does not exist', owner: authorOrCopy },
  'status-407': { title: 'A proxy requires a login', owner: 'network' },
  'status-410': { title: 'The file was removed', owner: authorOrCopy },
  'status-451': { title: 'The file was removed for legal reasons', owner: 'author' },
  'status-*': { title: 'The host answers with this status' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const unreachable = defineRule({
  id: 'unreachable',
  on: 'resource',
  needs: ['role', 'web', 'now'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  owner: 'host',
  hidesApp: true,
  hiddenReason: 'Its metadata file cannot be fetched.',
  causes: CAUSES,
  failsWhen:
    'a resource cannot be fetched: DNS, a proxy, a refused or broken connection, a timeout, a truncated response, or any status other than 2xx after redirects',
  why: 'Subscribers cannot use it: without the manifest there is no registry, without metadata no app, without the artifact no installation, without the icon an empty square.',
  check({ role, web, now }) {
    const visit = web.server;
    if (ruleOfFailure(visit) !== 'unreachable') return null;
    const found: Found =
      proxyFault(visit) ?? (visit.failure ? ofFailure(visit.failure, visit) : ofStatus(visit, Date.parse(now)));
    return {
      ...found,
      message: `The ${role} cannot be fetched: ${found.message}`,
      evidence: { ...evidenceOf(visit), ...found.evidence },
      // Whether a server listens on such a port does not matter: browsers never connect to it.
      ...(visit.failure && isWithoutAnswer(visit) && blockedPort(hostOf(visit.failure.url)) !== null
        ? { supersededBy: [urlPortBlocked] }
        : {}),
      ...(isOfHost(visit, found.cause)
        ? { dedupeKey: `${role} ${hostOf(visit.failure?.url ?? lastHop(visit)!.url)} ${found.cause}` }
        : {}),
    };
  },
});

/** Whether the URL itself was requested and no response was received. */
function isWithoutAnswer({ hops }: Probe): boolean {
  return hops.length <= 1 && !hops[0]?.status;
}

/** Whether the whole host is affected, and not only this file. */
function isOfHost(visit: Probe, cause: string): boolean {
  const { failure } = visit;
  if (failure === null) return /^(rate-limited|captive-portal)$/.test(cause) || /^status-(401|407|5\d\d)$/.test(cause);
  // A host that does not respond hangs for every URL.
  return /^(no-answer|http2-only)$/.test(cause) || ['dns', 'connect', 'tls'].includes(failure.phase);
}

interface Found {
  cause: Cause;
  message: string;
  advice: string;
  evidence?: Evidence;
}

function evidenceOf(visit: Probe): Evidence {
  const last = lastHop(visit);
  const evidence: Evidence = {
    asked: last?.url ?? null,
    status: last?.status || null,
    attempts: visit.attempts,
    address: last?.address ?? null,
  };
  if (visit.failure)
    Object.assign(evidence, {
      phase: visit.failure.phase,
      code: visit.failure.code,
      got: visit.failure.got,
      expected: visit.failure.expected,
    });
  if (last?.proxy) evidence['proxy'] = `${last.proxy.url} (${last.proxy.variable})`;
  if (visit.hops.length > 1) evidence['hops'] = visit.hops.map((hop) => `${hop.status} ${hop.url}`);
  if (last?.excerpt) evidence['body'] = last.excerpt.slice(0, 200);
  return evidence;
}

const REDIRECTS: Readonly<Record<string, readonly [cause: Cause, message: string, advice: string]>> = {
  REDIRECT_NO_LOCATION: [
    'redirect-without-location',
    'a redirect has no Location header.',
    'Add a Location header to the redirect, or serve the file itself.',
  ],
  REDIRECT_CREDENTIALS: [
    'redirect-credentials',
    'a redirect leads to a URL with a user name or password; browsers and other clients reject it.',
    'Redirect to a URL without credentials.',
  ],
};

/** Redirect failures that need detail: with their target. */
function ofLocation(code: string, url: string, visit: Probe): Found | null {
  if (code === 'REDIRECT_BLOCKED_PORT')
    return {
      cause: 'redirect-port-blocked',
      message: `a redirect leads to ${hostOf(url)}, a port that browsers and Node.js refuse to connect to.`,
      advice: 'Serve the file on port 443, or on another port that is not blocked, such as 8443.',
    };
  if (code === 'REDIRECT_BAD_LOCATION') {
    const location = header(lastHop(visit)?.headers ?? [], 'location');
    return {
      cause: 'redirect-malformed',
      message: `a redirect leads to ${location === null ? 'something' : `“${printable(shorten(location, 100))}”`}, which is not an http or https URL.`,
      advice: 'Correct the Location header of the redirect.',
    };
  }
  if (code !== 'REDIRECT_SEVERAL_LOCATIONS') return null;
  const locations = [...new Set(headerLines(lastHop(visit)?.headers ?? [], 'location'))];
  const shown = locations.slice(0, 3).map((one) => (one === '' ? 'an empty one' : shorten(one, 100)));
  const named = shown.length > 1 ? ` (${shown.join(' and ')})` : '';
  return {
    cause: 'redirect-ambiguous',
    message: `a redirect has several different Location headers${named}; browsers reject it, and other clients choose one.`,
    advice: 'Send one Location header: often the application and the web server, or two rules, each add one.',
    evidence: { locations: locations.slice(0, 5) },
  };
}

const FROM_THE_SERVICE: Readonly<Record<string, (host: string) => Found>> = {
  [NOT_REACHED]: (host) => ({
    cause: 'not-reached',
    message: `${host} could not be reached from the service.`,
    advice:
      'Check that the name is in public DNS with only public addresses, and that a web server runs there: appreg verify on a machine outside your network shows more. A host in a private network has to be allowed by the operator of the service (--allow-host).',
  }),
  [PORT_REFUSED]: (host) => ({
    cause: 'port-refused',
    message: `the service sends requests only to the default port, not to ${host}.`,
    advice: 'Serve the file on port 443, and list URLs without a port.',
  }),
};

const CONNECTIONS: Readonly<Record<string, readonly [cause: Cause, message: string, advice: string]>> = {
  ENOTFOUND: [
    'dns-not-found',
    'the host name does not exist.',
    'Check the spelling, the DNS record, and that the name is public.',
  ],
  ENODATA: ['dns-not-found', 'the host name has no address.', 'Add an A or AAAA record for the name.'],
  EAI_AGAIN: [
    'dns-temporary',
    'the name servers did not respond.',
    'This is a temporary DNS problem, here or at the host: run the check again.',
  ],
  ECONNREFUSED: [
    'refused',
    'the connection was refused: no server listens on this port.',
    'Check the host and port, and that the web server is running.',
  ],
  EHOSTUNREACH: [
    'no-route',
    'there is no route to the host.',
    'Check the address that the name resolves to, and firewalls on the way.',
  ],
  ENETUNREACH: [
    'no-route',
    'there is no route to the network of the host.',
    'Check the address that the name resolves to (if it has only IPv6 addresses, this machine needs IPv6, too).',
  ],
  ETIMEDOUT: [
    'connect-timeout',
    'the connection timed out.',
    'Check firewalls, and that the server is not overloaded.',
  ],
};

function ofFailure(failure: Failure, visit: Probe): Found {
  const { phase, code } = failure;
  const host = hostOf(failure.url);
  const ofService = FROM_THE_SERVICE[code];
  if (ofService) return ofService(host);
  const location = ofLocation(code, failure.url, visit);
  if (location) return location;
  const redirect = REDIRECTS[code];
  if (redirect) return { cause: redirect[0], message: redirect[1], advice: redirect[2] };
  const connection = CONNECTIONS[code];
  if (
    /^(ENETUNREACH|EADDRNOTAVAIL)$/.test(code) &&
    (/\[[0-9a-f:.]+\]/i.test(failure.url) || /\b[0-9a-f]*:[0-9a-f:]+:/i.test(failure.message))
  )
    return {
      cause: 'no-ipv6-here',
      message: `${hostnameOf(failure.url)} has only IPv6 addresses, and this machine has no IPv6 route.`,
      advice:
        'Run the check on a network with IPv6. Subscribers without IPv6 cannot reach the host either: add an A record.',
    };
  if (connection && phase !== 'body') return { cause: connection[0], message: connection[1], advice: connection[2] };
  if (/^HTTP2_ALONE$|NO_APPLICATION_PROTOCOL/.test(code))
    return {
      cause: 'http2-only',
      message: `${host} supports only HTTP/2 and refuses HTTP/1.1.`,
      advice: 'Enable HTTP/1.1 on the host; not all clients support HTTP/2.',
    };
  if (phase === 'dns')
    return {
      cause: 'dns-failed',
      message: `the name ${hostnameOf(failure.url)} could not be resolved (${code}).`,
      advice: 'Check the DNS records of the host.',
    };
  if (phase === 'time' && failure.got === null && !lastHop(visit)?.status)
    return {
      cause: 'no-answer',
      message: 'no response arrived within the time limit.',
      advice:
        'The server hangs, or a firewall or proxy drops the request: check the server’s logs. For a slow host, use --timeout <s>.',
    };
  if (phase === 'time')
    return {
      cause: 'too-slow',
      message: `it was not received completely within the time limit${gotOf(failure)}.`,
      advice: 'Serve it from a faster host, or give it more time with --timeout <s>.',
    };
  if (phase === 'size')
    return {
      cause: 'too-large',
      message: `it is larger than the limit${failure.expected === null ? '' : ` of ${counted(failure.expected, 'byte')}`}.`,
      advice: 'Check whether the response ever ends; a file of this size is too large for subscribers.',
    };
  if (phase === 'decode')
    return {
      cause: 'content-encoding-broken',
      message: `its Content-Encoding cannot be decoded (${failure.message}).`,
      advice: 'Remove the Content-Encoding header, or send content in that encoding.',
    };
  if (code === 'PARTIAL_UNASKED')
    return {
      cause: 'partial-unasked',
      message: 'the host sent only a part of the file (206), which was not requested.',
      advice: 'A cache in front of the host is broken: purge it, or disable its range handling.',
    };
  if (code === 'UPGRADE')
    return {
      cause: 'not-http',
      message: 'the host switched to another protocol (101), which was not requested.',
      advice: 'Check that a web server runs at this address.',
    };
  if (phase === 'body') return ofBody(failure);
  if (phase === 'tls') return ofHandshake(failure, host);
  if (phase === 'connect')
    return {
      cause: 'connection-failed',
      message: `no connection to ${host} could be made (${code}).`,
      advice: 'Check the host, the port, and firewalls on the way.',
    };
  if (code === 'HEADERS_TIMEOUT')
    return {
      cause: 'no-answer',
      message: 'the connection was established, but the response timed out.',
      advice: 'The server hangs, or a firewall or proxy drops the request: check the server’s logs.',
    };
  if (code.startsWith('HPE_') || code === 'HEADERS_OVERFLOW')
    return {
      cause: 'not-http',
      message: `the response is not valid HTTP (${code}).`,
      advice:
        'A proxy or server sends invalid headers (two lengths, line breaks, control characters): inspect them with curl -v.',
    };
  if (code === 'ECONNRESET' || code === 'SOCKET_CLOSED' || code === 'EPIPE')
    return {
      cause: 'reset',
      message: 'the connection was closed before a response was received.',
      advice: `A proxy, firewall or overloaded server closes it${visit.attempts > 1 ? ` (tried ${visit.attempts} times)` : ''}.`,
    };
  return {
    cause: 'failed',
    message: `${failure.message} (${code}).`,
    advice: 'See the evidence, and try the URL with curl -v.',
  };
}

function ofBody(failure: Failure): Found {
  if (failure.code === 'BODY_TIMEOUT')
    return {
      cause: 'stalled',
      message: `the host stopped sending before the end${gotOf(failure)}.`,
      advice: 'The server or a proxy hangs: check its logs.',
    };
  return {
    cause: 'truncated',
    message: `the response was truncated${gotOf(failure)}.`,
    advice:
      'The host or a proxy closes the connection early, or the stored file is shorter than its Content-Length: upload it again, and check proxy timeouts.',
  };
}

function gotOf({ got, expected }: Failure): string {
  if (got === null) return '';
  return expected === null
    ? ` (${counted(got, 'byte')} received)`
    : ` (${got} of ${counted(expected, 'byte')} received)`;
}

function ofHandshake(failure: Failure, host: string): Found {
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(failure.code))
    return {
      cause: 'not-tls',
      message: `the server at ${host} does not speak TLS.`,
      advice: 'The port serves http: enable HTTPS on it, or check the port.',
    };
  if (/UNRECOGNIZED_NAME/.test(failure.code))
    return {
      cause: 'tls-unknown-name',
      message: `the server does not know the name ${hostnameOf(failure.url)}.`,
      advice: 'Configure a virtual host and a certificate for that name.',
    };
  if (failure.code === 'CONNECT_TIMEOUT')
    return {
      cause: 'tls-timeout',
      message: 'the connection was established, but the TLS handshake timed out.',
      advice: 'Check for a hung server, or a firewall or proxy in front of it.',
    };
  if (failure.code === 'ECONNRESET' || failure.code === 'SOCKET_CLOSED')
    return {
      cause: 'tls-reset',
      message: 'the connection was closed during the TLS handshake.',
      advice: 'The server rejects the host name or the ciphers, or a firewall blocks this host: try openssl s_client.',
    };
  return {
    cause: 'tls-failed',
    message: `the TLS handshake failed (${failure.code}).`,
    advice: 'Check the TLS configuration of the server with openssl s_client.',
  };
}

/** A phrase to append to a status; '' if the first URL responded itself, in whichever spelling it is listed. */
function afterRedirects({ hops }: Probe): string {
  if (hops.length < 2) return '';
  return ` at the end of ${hops.length === 2 ? 'a redirect' : `${hops.length - 1} redirects`}`;
}

function ofStatus(visit: Probe, now: number): Found {
  const last = lastHop(visit)!;
  const { status, headers } = last;
  const parsed = parseUrl(last.url);
  const ended = parsed && signatureEnd(parsed.searchParams);
  const code = /<Code>([\w.-]{1,60})<\/Code>/.exec(last.excerpt ?? '')?.[1] ?? null;
  const evidence: Evidence = code === null ? {} : { hostCode: code };
  const asked = `the host answers ${status}${code === null ? '' : ` (${code})`}`;
  if ([400, 401, 403, 410].includes(status) && ended && ended.until <= now) {
    return {
      cause: 'signature-expired',
      message: `${asked}; the signed URL expired at ${new Date(ended.until).toISOString()}.`,
      advice: 'List a URL that does not expire, or sign it again.',
      evidence,
    };
  }
  if (status === 496 || (status === 400 && /SSL certificate|client certificate/i.test(last.excerpt ?? '')))
    return {
      cause: 'client-certificate-required',
      message: `${asked}: it requires a client certificate.`,
      advice: 'The service has none: do not require one for this file, or list signed URLs.',
    };
  const wait = retryAfter(header(headers, 'retry-after'), now);
  if (status === 429 || (status === 503 && wait !== null)) {
    return {
      cause: 'rate-limited',
      message: `${asked}${wait === null ? '' : ` and asks to wait ${wait} s`}; it was not checked.`,
      advice: 'Request a higher limit, choose a host without one, or lower --concurrency and try again later.',
      evidence: { ...evidence, retryAfter: header(headers, 'retry-after') },
    };
  }
  if (status === 511)
    return {
      cause: 'captive-portal',
      message: `a captive portal of this network responded with 511 (Network Authentication Required) instead of ${hostOf(last.url)}.`,
      advice: 'Sign in to that network in a browser, or run the check from another network: the host was not reached.',
      evidence,
    };
  const where = afterRedirects(visit);
  if (status === 404)
    return {
      cause: 'status-404',
      message: `${asked}${where}: the file does not exist.`,
      advice: `Check the URL (it is case-sensitive), and that the file was uploaded.`,
      evidence,
    };
  if (status === 403)
    return {
      cause: 'status-403',
      message: `${asked}${where}: the file is not public, or does not exist (some hosts hide missing files this way).`,
      advice: 'Make the file public, check that it exists, and that no firewall rule blocks automated clients.',
      evidence,
    };
  if (status === 401 || status === 407)
    return {
      cause: `status-${status}`,
      message: `${asked}${where}: authentication is required.`,
      advice: 'Make the file public or list signed URLs; to check it anyway, pass credentials with --header-env.',
      evidence,
    };
  if (status === 410 || status === 451)
    return {
      cause: `status-${status}`,
      message: `${asked}${where}: the file was removed intentionally.`,
      advice: 'Published files must keep their URLs: restore it.',
      evidence,
    };
  if (status === 304)
    return {
      cause: 'status-304',
      message: `${asked} (not modified) although the request was not conditional.`,
      advice: 'A cache in front of the host is broken: purge it.',
      evidence,
    };
  if (status >= 500)
    return {
      cause: `status-${status}`,
      message: `${asked}${where}${visit.attempts > 1 ? `, ${visit.attempts} times in a row` : ''}.`,
      advice: 'The host has a problem: check its logs or status page.',
      evidence,
    };
  return {
    cause: `status-${status}`,
    message: `${asked}${where}.`,
    advice: 'The status must be 200.',
    evidence,
  };
}
