import type { TlsFacts } from '../../src/core/facts/facts.ts';
import type { TlsCause } from '../../src/core/http/failed-request.ts';

/** Signs of each cause in a failed TLS handshake. */
const FAULTS: Readonly<Record<TlsCause, { code: string; message?: string; tls?: Partial<TlsFacts> }>> = {
  expired: { code: 'CERT_HAS_EXPIRED' },
  'not-yet-valid': { code: 'CERT_NOT_YET_VALID' },
  'self-signed': { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  'unknown-issuer': { code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' },
  'incomplete-chain': { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
  'wrong-host': { code: 'ERR_TLS_CERT_ALTNAME_INVALID', tls: { names: ['b.example'] } },
  'wrong-purpose': { code: 'INVALID_PURPOSE' },
  revoked: { code: 'CERT_REVOKED' },
  'bad-signature': { code: 'CERT_SIGNATURE_FAILURE' },
  'chain-too-long': { code: 'CERT_CHAIN_TOO_LONG' },
  'invalid-authority': { code: 'INVALID_CA' },
  'name-constraints': { code: 'UNSPECIFIED', message: 'permitted subtree violation' },
  'weak-signature': { code: 'UNSPECIFIED', message: 'ca md too weak' },
  'old-protocol': { code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' },
  'client-certificate-required': { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' },
  certificate: { code: 'UNSPECIFIED', message: 'certificate verify error' },
};

type CertificateFault = { cause: string; code: string; message?: string; tls?: Partial<TlsFacts> };

export const CERTIFICATE_FAULTS: readonly CertificateFault[] = Object.entries(FAULTS).map(([cause, fault]) => ({
  cause,
  ...fault,
}));
