import type { CertificateSigner } from '../core/attestation/facts.ts';

/** The identity of a verified certificate, as the verifier returns it. */
interface CertificateIdentity {
  subjectAlternativeName?: string;
  extensions?: { issuer?: string };
  oids?: readonly { oid?: { id: readonly number[] } | undefined; value: Uint8Array }[];
}

/** The extensions of Fulcio: https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md */
const FULCIO = '1.3.6.1.4.1.57264.1';
const CLAIMS = { repository: 12, commit: 13, ref: 14, run: 21 } as const;

export function certificateSigner(identity: CertificateIdentity): CertificateSigner {
  const claim = (number: number): string | null => {
    const found = identity.oids?.find(({ oid }) => oid?.id.join('.') === `${FULCIO}.${number}`);
    return found === undefined ? null : utf8String(Buffer.from(found.value));
  };
  return {
    kind: 'certificate',
    issuer: identity.extensions?.issuer ?? null,
    identity: identity.subjectAlternativeName ?? null,
    repository: claim(CLAIMS.repository),
    commit: claim(CLAIMS.commit),
    ref: claim(CLAIMS.ref),
    run: claim(CLAIMS.run),
  };
}

/** A UTF8String in DER (X.690): tag, length, text. Null for anything else. */
function utf8String(der: Buffer): string | null {
  const [tag, first = 0] = der;
  if (tag !== 0x0c) return null;
  // From 128 bytes, the first octet is the number of octets of the length.
  const start = first < 0x80 ? 2 : 2 + (first & 0x7f);
  const length = first < 0x80 ? first : Number.parseInt(der.subarray(2, start).toString('hex'), 16);
  return der.length === start + length ? der.subarray(start).toString('utf8') : null;
}
