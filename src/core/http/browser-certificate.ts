import type { ChainCertificate } from '../facts/facts.ts';
import { commonName } from './certificate.ts';

/**
 * Features of certificates that Node accepts and Chromium does not; `test/browser/certificates.test.ts` compares them.
 */

type UnsupportedCause = 'key' | 'key-usage' | 'authority-key' | 'signature';

/** The part of a chain that browsers do not support. */
export interface Unsupported {
  cause: UnsupportedCause;
  certificate: ChainCertificate;
  /** The unsupported feature, for a sentence that follows “the certificate”. */
  has: string;
}

export const SUPPORTED_KEYS = 'ECDSA with the curve P-256 or P-384, or RSA with 2048 bits or more';

const CURVES_OF_HOSTS: readonly string[] = ['prime256v1', 'secp384r1'];
/** Authorities may also use P-521. */
const CURVES_OF_AUTHORITIES: readonly string[] = [...CURVES_OF_HOSTS, 'secp521r1'];
const SIGNATURES = /^sha(256|384|512)With(RSA|RSAPSS|ECDSA)$/;

/** Names of curves as browsers and certificate tools write them. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
  secp224r1: 'P-224',
};

/**
 * Finds the features of a chain that browsers do not support: its first fault of each cause.
 * @param chain the host's own certificate first
 */
export function unsupportedIn(chain: readonly ChainCertificate[]): Unsupported[] {
  const found: Unsupported[] = [];
  for (const [i, certificate] of chain.entries()) {
    const { key, signature, keyUsage } = certificate;
    const add = (cause: UnsupportedCause, has: string): void => {
      if (!found.some((one) => one.cause === cause)) found.push({ cause, certificate, has });
    };
    if (!isSupported(key, i === 0 ? CURVES_OF_HOSTS : CURVES_OF_AUTHORITIES))
      add(i === 0 ? 'key' : 'authority-key', `a key of the type ${keyName(key)}`);
    if (i === 0 && keyUsage !== null && !keyUsage.includes('digitalSignature'))
      add('key-usage', `the key usage ${keyUsage.join(', ') || 'none'}`);
    // A key that is not supported cannot verify a signature either, which is the fault of that key.
    const issuer = chain[i + 1];
    if (
      signature !== null &&
      !SIGNATURES.test(signature) &&
      (issuer === undefined || isSupported(issuer.key, CURVES_OF_AUTHORITIES))
    )
      add('signature', `a signature with ${signature}`);
  }
  return found;
}

function isSupported(key: string, curves: readonly string[]): boolean {
  const [type, detail = ''] = key.split(' ');
  return type === 'rsa' ? Number(detail) >= 1024 : type === 'ec' && curves.includes(detail);
}

/** `ECDSA P-521`, `Ed25519`, `RSA-PSS`. */
function keyName(key: string): string {
  const [type = key, detail = ''] = key.split(' ');
  if (type === 'ec') return `ECDSA ${CURVES[detail] ?? detail}`;
  if (type.startsWith('ed')) return type.replace('ed', 'Ed');
  return [type.toUpperCase(), detail && `with ${detail} bits`].filter((part) => part !== '').join(' ');
}

/** The certificate for a sentence. */
export function certificateName({ subject }: ChainCertificate, host: string, isOwn: boolean): string {
  return isOwn ? `the certificate of ${host}` : `the certificate “${commonName(subject)}” in the chain of ${host}`;
}

/**
 * The name of a certificate that only some clients match with a host: a wildcard that is a part of a label (`re*.x.test`;
 * RFC 6125 section 6.4.3 leaves it to the client). Null if another name matches, or none is of that form.
 */
export function partialWildcard(host: string, names: readonly string[]): string | null {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.');
  const rest = labels.slice(1).join('.');
  const own = names.map((name) => name.toLowerCase());
  if (own.includes(labels.join('.')) || own.includes(`*.${rest}`)) return null;
  return (
    own.find((name) => /^(?:[^.*]+\*[^.*]*|\*[^.*]+)\./.test(name) && name.slice(name.indexOf('.') + 1) === rest) ??
    null
  );
}
