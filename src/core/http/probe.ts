import { notAnAuthority } from './certificate.ts';
import type { Hop, Missing, Probe } from '../facts/facts.ts';
import { parseUrl } from './url.ts';

/** The exchange that ended a probe: the response, or the one that failed (its status is 0 without a response). */
export function lastHop(probe: Probe): Hop | null {
  return probe.hops.at(-1) ?? null;
}

/** The last hop of a probe that was answered. @throws if there is none, which is an error in the caller */
export function finalHop(probe: Probe): Hop {
  const hop = lastHop(probe);
  if (hop === null) throw new Error('The probe has no hops');
  return hop;
}

/** The status that a probe ended with; 0 without one. */
export function statusOf(probe: Probe): number {
  return lastHop(probe)?.status ?? 0;
}

/** True when a probe ended with a complete 2xx response. */
export function isAnswered(probe: Probe): boolean {
  const status = statusOf(probe);
  return probe.failure === null && status >= 200 && status < 300;
}

/** Malformed and oversized heads, and responses that no client accepts: the host did respond. */
const ANSWERED_BADLY = /^(HPE_(?!INVALID_EOF_STATE$).*|HEADERS_OVERFLOW|HTTP2_ALONE|UPGRADE|UNSOLICITED_PARTIAL)$/;

/**
 * True for a probe that failed because of the network or the connection (a reset, a timeout, a certificate, 408 Request
 * Timeout): it says nothing about the host's response to such a request.
 */
export function isTransportFailure(probe: Probe): boolean {
  const { failure } = probe;
  if (failure === null) return statusOf(probe) === 408;
  switch (failure.phase) {
    case 'dns':
    case 'proxy':
    case 'connect':
    case 'tls':
    case 'time':
      return true;
    case 'headers':
    case 'body':
      return !ANSWERED_BADLY.test(failure.code);
    default:
      return false;
  }
}

/** Of HEAD and preflights: why they were not sent for a resource. */
export const SAMPLED: Missing = {
  missing: { code: 'sampled' },
  runWide: true,
  intentional: true,
};

/** Why TLS is not trusted. */
export type TlsCause =
  | 'expired'
  | 'not-yet-valid'
  | 'self-signed'
  | 'unknown-issuer'
  | 'incomplete-chain'
  | 'wrong-host'
  | 'wrong-purpose'
  | 'revoked'
  | 'bad-signature'
  | 'chain-too-long'
  | 'invalid-authority'
  | 'client-certificate-required'
  | 'old-protocol'
  | 'weak-signature'
  | 'name-constraints'
  | 'certificate';

// OpenSSL's and Node's codes for untrusted certificates, and the causes that findings use for them.
const CERTIFICATE_CAUSES: Readonly<Record<string, TlsCause>> = {
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not-yet-valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown-issuer',
  CERT_UNTRUSTED: 'unknown-issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'incomplete-chain',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong-host',
  HOSTNAME_MISMATCH: 'wrong-host',
  INVALID_PURPOSE: 'wrong-purpose',
  CERT_REVOKED: 'revoked',
  CERT_SIGNATURE_FAILURE: 'bad-signature',
  CERT_CHAIN_TOO_LONG: 'chain-too-long',
  PATH_LENGTH_EXCEEDED: 'chain-too-long',
  INVALID_CA: 'invalid-authority',
};

/**
 * Why TLS is not trusted, or null if a probe did not fail for that reason (a reset during the handshake says nothing).
 */
export function tlsCause(probe: Probe): TlsCause | null {
  const { failure } = probe;
  if (failure === null || failure.phase === 'proxy') return null;
  const known = CERTIFICATE_CAUSES[failure.code];
  // OpenSSL reports the last of several faults, and a certificate that is not an authority lacks its purpose too.
  if (known === 'wrong-purpose' && notAnAuthority(lastHop(probe)?.tls?.path ?? [])) return 'invalid-authority';
  if (known !== undefined) return known;
  if (/CERTIFICATE_REQUIRED|ALERT_BAD_CERTIFICATE$/.test(failure.code)) return 'client-certificate-required';
  if (failure.phase !== 'tls') return null;
  // The host had already sent its certificate, so it rejects the client certificate: none was sent.
  if (failure.code.endsWith('ALERT_HANDSHAKE_FAILURE') && lastHop(probe)?.tls) return 'client-certificate-required';
  if (/UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO_LOW|UNSUPPORTED_SSL_VERSION/.test(failure.code))
    return 'old-protocol';
  if (/digest algorithm too weak|key too (weak|small)|ee key|ca md/i.test(failure.message)) return 'weak-signature';
  if (/NO_APPLICATION_PROTOCOL/.test(failure.code)) return null;
  if (/subtree violation|name constraint/i.test(failure.message)) return 'name-constraints';
  if (/key usage does not include certificate signing|invalid CA certificate/i.test(failure.message))
    return 'invalid-authority';
  return failure.code === 'UNSPECIFIED' ? 'certificate' : null;
}

/** The subscriber service could not connect; it does not report the phase. */
export const NOT_REACHED = 'NOT_REACHED';
/** The subscriber service only connects to the default ports. */
export const PORT_REFUSED = 'PORT_REFUSED';
/** The subscriber service does not send requests over plain http. */
export const INSECURE_REFUSED = 'INSECURE_REFUSED';

/**
 * The rule that reports why there is no complete 2xx response; null when there is one. Each failure belongs to one
 * rule.
 */
export function ruleOfFailure(
  probe: Probe,
): 'tls-untrusted' | 'redirect-excessive' | 'redirect-insecure' | 'url-insecure' | 'unreachable' | null {
  if (isAnswered(probe)) return null;
  if (probe.failure?.code === INSECURE_REFUSED)
    return probe.hops.some(({ url }) => url.startsWith('https:')) ? 'redirect-insecure' : 'url-insecure';
  if (tlsCause(probe) !== null) return 'tls-untrusted';
  const code = probe.failure?.code;
  return code === 'REDIRECT_LOOP' || code === 'REDIRECT_LIMIT' ? 'redirect-excessive' : 'unreachable';
}

/** The proxy of a probe, as a phrase to append; '' for a direct request. */
export function overProxy(probe: Probe): string {
  const { proxy } = lastHop(probe) ?? {};
  return proxy ? ` over the proxy ${proxy.url === '' ? '' : `${proxy.url} `}(${proxy.variable})` : '';
}

/** The origin of a requested URL as the parser serialises it, without credentials. */
export function originOf(url: string): string {
  const path = url.indexOf('/', 'https://'.length);
  return path === -1 ? url : url.slice(0, path);
}

/** The host of a URL for a sentence: without a default port. */
export function hostOf(url: string): string {
  return parseUrl(url)?.host ?? url;
}

/** The host of a URL without its port, and an IPv6 address without brackets, as in DNS and certificates. */
export function hostnameOf(url: string): string {
  return (parseUrl(url)?.hostname ?? url).replace(/^\[(.*)\]$/, '$1');
}
