import type { SignedEntity, TrustMaterial } from '@sigstore/verify';
import type { Trust } from './trust.ts';

/**
 * Whether the trusted root is too old to verify a bundle: the bundle claims to be newer than the root, and was signed
 * with an authority that the root does not contain. An older bundle with such an authority is of another instance.
 * @returns the kind of the unknown authority; null if the root is not the cause
 */
export function outdatedRoot(entity: SignedEntity, { root, material }: Trust): string | null {
  const claimed = latestTime(entity);
  return claimed > Date.parse(root.date) ? unknownAuthority(entity, material) : null;
}

/** The latest time that the bundle claims, in milliseconds since 1970; NaN if it claims none. */
function latestTime({ key, timestamps, tlogEntries }: SignedEntity): number {
  const times = [
    ...(key.$case === 'certificate' ? [key.certificate.notBefore.getTime()] : []),
    ...tlogEntries.map(({ integratedTime }) => Number(integratedTime) * 1000),
    ...timestamps.flatMap((one) => (one.$case === 'timestamp-authority' ? [one.timestamp.signingTime.getTime()] : [])),
  ];
  return times.length === 0 ? Number.NaN : Math.max(...times);
}

type CertificateOf<Key> = Key extends { certificate: infer Certificate } ? Certificate : never;

function unknownAuthority({ key, timestamps, tlogEntries }: SignedEntity, material: TrustMaterial): string | null {
  if (key.$case === 'certificate') {
    if (!hasIssuer(key.certificate, material)) return 'unknown-certificate-authority';
    const { signedCertificateTimestamps = [] } = key.certificate.extSCT ?? {};
    if (signedCertificateTimestamps.some(({ logID }) => !knowsLog(material.ctlogs, logID))) return 'unknown-ct-log';
  }
  if (tlogEntries.some(({ logId }) => !knowsLog(material.tlogs, logId.keyId))) return 'unknown-transparency-log';
  const isKnown = timestamps.every(
    (one) => one.$case !== 'timestamp-authority' || hasTimestampAuthority(one, material),
  );
  return isKnown ? null : 'unknown-timestamp-authority';
}

function knowsLog(logs: TrustMaterial['tlogs'], id: Buffer): boolean {
  return logs.some(({ logID }) => logID.equals(id));
}

/** By the id of the issuer's key, as a new key keeps the name of the authority. */
function hasIssuer(
  certificate: CertificateOf<SignedEntity['key']>,
  { certificateAuthorities }: TrustMaterial,
): boolean {
  const keyId = certificate.extAuthorityKeyID?.keyIdentifier;
  return certificateAuthorities
    .flatMap(({ certChain }) => certChain)
    .some((ca) => {
      const subjectKeyId = ca.extSubjectKeyID?.keyIdentifier;
      return keyId !== undefined && subjectKeyId !== undefined
        ? subjectKeyId.equals(keyId)
        : ca.subject.equals(certificate.issuer);
    });
}

function hasTimestampAuthority(
  { timestamp }: Extract<SignedEntity['timestamps'][number], { $case: 'timestamp-authority' }>,
  { timestampAuthorities }: TrustMaterial,
): boolean {
  return timestampAuthorities.some(({ certChain: [leaf] }) =>
    leaf === undefined
      ? false
      : leaf.serialNumber.equals(timestamp.signerSerialNumber) && leaf.issuer.equals(timestamp.signerIssuer),
  );
}
