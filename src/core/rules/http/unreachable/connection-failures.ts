import type { Failure, Probe } from '../../../facts/facts.ts';
import { hostnameOf, hostOf } from '../../../http/probe.ts';
import { message } from '../../../text/message.ts';
import { INSECURE_REFUSED, NOT_REACHED, PORT_REFUSED } from '../../../http/failed-request.ts';
import { explain, type Explanation, type FailedRequest, hasCode, type Row } from './causes.ts';
import { REDIRECT_FAILURES, RESPONSE_FAILURES } from './response-failures.ts';

/** True for a failure at the connection or before: a response that was cut off may have the same code. */
function hasCodeBeforeBody(...codes: readonly string[]): (request: FailedRequest) => boolean {
  return ({ failure }) => failure.phase !== 'body' && codes.includes(failure.code);
}

/** True if the only address is one of IPv6, and this machine has no route for that. */
function isWithoutIpv6({ failure: { code, url, message } }: FailedRequest): boolean {
  if (code !== 'ENETUNREACH' && code !== 'EADDRNOTAVAIL') return false;
  return /\[[0-9a-f:.]+\]/i.test(url) || /\b[0-9a-f]*:[0-9a-f:]+:/i.test(message);
}

/** Names that are not resolved, and connections that are not established. */
const CONNECTION_FAILURES: readonly Row<FailedRequest>[] = [
  {
    when: hasCode(NOT_REACHED),
    cause: 'not-reached',
    message: ({ host }) => message`${host} could not be reached from the service.`,
    advice: message`Check that the name is in public DNS with only public addresses, and that a web server runs there: appreg verify on a machine outside your network shows more. A host in a private network has to be allowed by the operator of the service (--allow-host).`,
  },
  {
    when: hasCode(PORT_REFUSED),
    cause: 'port-refused',
    message: ({ host }) => message`the service sends requests only to the default port, not to ${host}.`,
    advice: message`Serve the file on port 443, and list URLs without a port.`,
  },
  {
    when: hasCode(INSECURE_REFUSED),
    cause: 'insecure-refused',
    message: ({ host }) =>
      message`the service sends unencrypted requests only to hosts that its operator allows, not to ${host}.`,
    advice: message`Serve the file over HTTPS, or ask the operator of the service to allow the host (--allow-host).`,
  },
  {
    when: isWithoutIpv6,
    cause: 'no-ipv6-here',
    message: ({ name }) => message`${name} has only IPv6 addresses, and this machine has no IPv6 route.`,
    advice: message`Run the check on a network with IPv6. Subscribers without IPv6 cannot reach the host either: add an A record.`,
  },
  {
    when: hasCodeBeforeBody('ENOTFOUND'),
    cause: 'dns-not-found',
    message: message`the host name does not exist.`,
    advice: message`Check the spelling, the DNS record, and that the name is in public DNS.`,
  },
  {
    when: hasCodeBeforeBody('ENODATA'),
    cause: 'dns-not-found',
    message: message`the host name has no address.`,
    advice: message`Add an A or AAAA record for the name.`,
  },
  {
    when: hasCodeBeforeBody('EAI_AGAIN'),
    cause: 'dns-temporary',
    message: message`the name servers did not respond.`,
    advice: message`This is a temporary DNS problem, here or at the host: run the check again.`,
  },
  {
    when: hasCodeBeforeBody('ECONNREFUSED'),
    cause: 'refused',
    message: message`the connection was refused: no server listens on this port.`,
    advice: message`Check the host and port, and that the web server is running.`,
  },
  {
    when: hasCodeBeforeBody('EHOSTUNREACH'),
    cause: 'no-route',
    message: message`this machine has no route to the host.`,
    advice: message`Check the address that the name resolves to, and firewalls in between.`,
  },
  {
    when: hasCodeBeforeBody('ENETUNREACH'),
    cause: 'no-route',
    message: message`this machine has no route to the network of the host.`,
    advice: message`Check the address that the name resolves to (if it has only IPv6 addresses, this machine needs IPv6, too).`,
  },
  {
    when: hasCodeBeforeBody('ETIMEDOUT'),
    cause: 'connect-timeout',
    message: message`the connection timed out.`,
    advice: message`Check firewalls, and that the server is not overloaded.`,
  },
  {
    when: ({ failure }) => /^HTTP2_ALONE$|NO_APPLICATION_PROTOCOL/.test(failure.code),
    cause: 'http2-only',
    message: ({ host }) => message`${host} supports only HTTP/2 and refuses HTTP/1.1.`,
    advice: message`Enable HTTP/1.1 on the host; not all clients support HTTP/2.`,
  },
  {
    when: ({ failure }) => failure.phase === 'dns',
    cause: 'dns-failed',
    message: ({ name, failure }) => message`the name ${name} could not be resolved (${failure.code}).`,
    advice: message`Check the DNS records of the host.`,
  },
  {
    when: ({ failure }) => failure.phase === 'connect',
    cause: 'connection-failed',
    message: ({ host, failure }) => message`no connection to ${host} could be established (${failure.code}).`,
    advice: message`Check the host, the port, and firewalls in between.`,
  },
];

/** TLS handshakes that fail for another reason than trust, which tls-untrusted reports. */
const HANDSHAKES: readonly Row<FailedRequest>[] = [
  {
    when: ({ failure }) => /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(failure.code),
    cause: 'not-tls',
    message: ({ host }) => message`the server at ${host} does not speak TLS.`,
    advice: message`The port serves http: enable HTTPS on it, or check the port.`,
  },
  {
    when: ({ failure }) => failure.code.includes('UNRECOGNIZED_NAME'),
    cause: 'tls-unknown-name',
    message: ({ name }) => message`the server does not know the name ${name}.`,
    advice: message`Configure a virtual host and a certificate for that name.`,
  },
  {
    when: hasCode('CONNECT_TIMEOUT'),
    cause: 'tls-timeout',
    message: message`the connection was established, but the TLS handshake timed out.`,
    advice: message`Check for a hung server, or a firewall or proxy in front of it.`,
  },
  {
    when: hasCode('ECONNRESET', 'SOCKET_CLOSED'),
    cause: 'tls-reset',
    message: message`the connection was closed during the TLS handshake.`,
    advice: message`The server rejects the host name or the ciphers, or a firewall blocks this host: try openssl s_client.`,
  },
  {
    when: () => true,
    cause: 'tls-failed',
    message: ({ failure }) => message`the TLS handshake failed (${failure.code}).`,
    advice: message`Check the TLS configuration of the server with openssl s_client.`,
  },
];

const HANDSHAKE_FAILURES: readonly Row<FailedRequest>[] = HANDSHAKES.map((row) => ({
  ...row,
  when: (request) => request.failure.phase === 'tls' && row.when(request),
}));

const FAILURES = [...REDIRECT_FAILURES, ...CONNECTION_FAILURES, ...HANDSHAKE_FAILURES, ...RESPONSE_FAILURES];

/** Explains a request that failed without a usable response. */
export function explainFailure(failure: Failure, probe: Probe): Explanation {
  const { url, message: summary, code } = failure;
  const request = { failure, probe, host: hostOf(url), name: hostnameOf(url) };
  return (
    explain(FAILURES, request) ?? {
      cause: 'failed',
      message: message`${summary} (${code}).`,
      advice: message`Request the URL with curl -v, and compare it with the evidence.`,
    }
  );
}
