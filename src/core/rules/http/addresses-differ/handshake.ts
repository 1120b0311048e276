import { message, safe } from '../../../text/message.ts';
import type { AddressFailure, Failure, Hop, Probe } from '../../../facts/facts.ts';
import { hostnameOf, hostOf } from '../../../http/probe.ts';
import { tlsCause } from '../../../http/tls-cause.ts';
import { explainUntrusted } from '../../../http/untrusted-certificate.ts';
import type { Problem } from '../../rule.ts';
import type { Cause } from './causes.ts';

/**
 * An address with which no TLS connection can be made.
 * @param hop the response of another address
 */
export function handshakeProblem(
  hop: Hop,
  bad: AddressFailure,
  more: readonly AddressFailure[],
  now: string,
): Problem<Cause> {
  const host = hostOf(hop.url);
  const { cause, message: summary, advice } = reasonOf(hop, bad, now);
  const others =
    more.length === 0 ? '' : ` The connection also fails with ${more.map(({ address }) => address).join(', ')}.`;
  return {
    cause,
    message: message`${hostnameOf(hop.url)} has several addresses, and ${bad.address} does not respond like ${hop.address ?? 'another one'}: ${safe(summary)}${others}`,
    advice: message`Correct the server at ${bad.address}, or remove that address from DNS. ${safe(advice)}`,
    evidence: {
      host,
      address: hop.address,
      differing: [bad, ...more].map(({ address, code }) => `${address} ${code}`),
      ...(bad.tls
        ? {
            subject: bad.tls.subject,
            issuer: bad.tls.issuer,
            notAfter: bad.tls.notAfter,
            fingerprint256: bad.tls.fingerprint256,
          }
        : {}),
    },
    dedupeKey: host,
  };
}

const HANDSHAKE: Readonly<Record<string, readonly [cause: Cause, message: string]>> = {
  ECONNRESET: ['reset', 'it closes the connection during the TLS handshake.'],
  SOCKET_CLOSED: ['reset', 'it closes the connection during the TLS handshake.'],
  EPIPE: ['reset', 'it closes the connection during the TLS handshake.'],
  CONNECT_TIMEOUT: ['no-answer', 'the TLS handshake times out.'],
};

function reasonOf(
  { url }: Hop,
  bad: AddressFailure,
  now: string,
): Pick<Problem<Cause>, 'message' | 'advice'> & { cause: Cause } {
  const { code, message: summary = code, tls = null, address } = bad;
  const failure: Failure = { phase: 'tls', code, message: summary, url, got: null, expected: null };
  const probe: Probe = {
    method: 'GET',
    origin: null,
    hops: [{ url, status: 0, headers: [], address, tls }],
    failure,
    attempts: 1,
    retryAfterMs: 0,
  };
  const cause = tlsCause(probe);
  if (cause !== null) return { cause, ...explainUntrusted(cause, tls, now, failure) };
  const [name, text] = HANDSHAKE[code] ?? ['handshake', `the TLS handshake with it fails (${code}).`];
  return {
    cause: name,
    message: message`${text}`,
    advice: message`Check its logs, or run openssl s_client -connect with this address.`,
  };
}
