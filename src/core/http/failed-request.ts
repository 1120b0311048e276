import type { Probe } from '../facts/facts.ts';
import { notAnAuthority } from './certificate.ts';
import { isAnswered, lastHop } from './probe.ts';
import { isLoopback, urlParts } from '../url/url.ts';

/** The rule that reports a failed probe, and codes of failures that are not the client’s. */

/** The subscriber service could not connect; it does not report the phase. */
export const NOT_REACHED = 'NOT_REACHED';
/** The subscriber service only connects to the default ports. */
export const PORT_REFUSED = 'PORT_REFUSED';
/** The subscriber service does not send requests over plain http. */
export const INSECURE_REFUSED = 'INSECURE_REFUSED';

/** The server of an http URL expects TLS. */
export const TLS_EXPECTED = 'TLS_EXPECTED';

/**
 * The rule that reports why there is no complete 2xx response; null when there is one. Each failure belongs to one
 * rule.
 */
export function ruleOfFailure(
  probe: Probe,
): 'tls-untrusted' | 'redirect-excessive' | 'redirect-insecure' | 'url-insecure' | 'unreachable' | null {
  if (isAnswered(probe)) return null;
  if (probe.failure?.code === INSECURE_REFUSED) {
    if (probe.hops.some(({ url }) => url.startsWith('https:'))) return 'redirect-insecure';
    // On loopback, url-insecure is only a warning for local tests, and does not say that nothing was requested.
    return isLoopback(urlParts(probe.failure.url)?.hostname ?? '') ? 'unreachable' : 'url-insecure';
  }
  if (tlsCause(probe) !== null) return 'tls-untrusted';
  const code = probe.failure?.code;
  return code === 'REDIRECT_LOOP' || code === 'REDIRECT_LIMIT' ? 'redirect-excessive' : 'unreachable';
}

/** Reasons why a certificate, or the version of TLS, is not trusted. */

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
 * The reason why TLS is not trusted, or null if a probe did not fail for that reason (a reset during the
 * handshake says nothing).
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
