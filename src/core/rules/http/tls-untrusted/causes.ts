import type { TlsCause } from '../../../http/failed-request.ts';
import type { CauseInfo } from '../../cause.ts';

/** Causes of a certificate or a version of TLS that is not trusted, for the rules about it. */
export const TLS_CAUSES = {
  expired: { title: 'The certificate has expired' },
  'not-yet-valid': { title: 'The certificate is not valid yet' },
  'self-signed': { title: 'The certificate is self-signed' },
  'unknown-issuer': { title: 'The issuer is not a known authority' },
  'incomplete-chain': { title: 'The intermediate certificate is not sent' },
  'wrong-host': { title: 'The certificate is for a different host name' },
  'wrong-purpose': { title: 'The certificate is not valid for a server' },
  revoked: { title: 'The certificate was revoked' },
  'bad-signature': { title: 'The signature of a certificate is invalid' },
  'chain-too-long': { title: 'The chain is longer than an authority allows' },
  'invalid-authority': { title: 'The issuer may not issue certificates' },
  'name-constraints': { title: 'The authority may not issue certificates for this name' },
  'weak-signature': { title: 'The signature or the key is too weak' },
  'old-protocol': { title: 'The host supports only obsolete versions of TLS' },
  'client-certificate-required': { title: 'The host requires a client certificate' },
  certificate: { title: 'The certificate is refused for another reason' },
} satisfies Readonly<Record<TlsCause, CauseInfo>>;
