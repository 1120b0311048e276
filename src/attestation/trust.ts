import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toTrustMaterial, type TrustMaterial, type SignedEntity } from '@sigstore/verify';
import type { RootFacts } from '../core/facts/attestation.ts';
import { AppregError } from '../core/errors/error.ts';
import { jsonValueIn } from '../core/json/value-in.ts';
import type { Digest } from '../core/values/scalars.ts';
import { message, type SafeText } from '../core/text/message.ts';
import shippedRoot from './trusted-root.json' with { type: 'json' };

/**
 * Trust for the verification of attestations: the keys and certificates of a Sigstore instance, and the key of a
 * vendor.
 */
export interface Trust {
  root: RootFacts;
  /** @internal As the library for verification has it, whose types users do not have. */
  material: TrustMaterial;
  /** The key of the vendor; null if only certificates are verified. */
  key: VendorKey | null;
}

export interface VendorKey {
  publicKey: KeyObject;
  /** Of the public key (SubjectPublicKeyInfo, DER). */
  sha256: Digest;
}

/**
 * When @sigstore/tuf 5.0.1 was released, which contains this trusted root of Sigstore's public instance. Both are updated
 * before a release (docs/contributors/releasing.md).
 */
const SHIPPED_DATE = '2026-11-05T00:00:00Z';

/** The trusted root that the package contains, for verification without the network. */
export function shippedTrust(key: VendorKey | null = null): Trust {
  return trustOf(TrustedRoot.fromJSON(shippedRoot), { date: SHIPPED_DATE, shipped: true }, key);
}

/**
 * A trusted root of the user: Sigstore's trusted_root.json
 * (`application/vnd.dev.sigstore.trustedroot+json;version=0.1`). Its date is the latest time at which one of its keys
 * or certificates began to be valid.
 * @param shownAs the name of the file, for messages
 * @throws AppregError (exit 2) for another document, and for an entry without a start of its validity
 */
export function readTrustedRoot(text: string, shownAs: string, key: VendorKey | null = null): Trust {
  let root: TrustedRoot;
  try {
    root = TrustedRoot.fromJSON(jsonValueIn(text));
  } catch (cause) {
    throw invalidRoot(message`${shownAs} is not a trusted root of Sigstore.`, cause);
  }
  const starts = [
    ...[...root.tlogs, ...root.ctlogs].map((log) => log.publicKey?.validFor?.start),
    ...[...root.certificateAuthorities, ...root.timestampAuthorities].map((authority) => authority.validFor?.start),
  ];
  // The verifier would take an entry without a start as valid since ever.
  const times = starts.map((start) => start?.getTime() ?? Number.NaN);
  if (times.length === 0) throw invalidRoot(message`${shownAs} contains no key and no certificate.`);
  if (times.some(Number.isNaN))
    throw invalidRoot(message`${shownAs} contains a key or certificate without the start of its validity (validFor).`);
  const date = new Date(Math.max(...times)).toISOString();
  try {
    return trustOf(root, { date, shipped: false }, key);
  } catch (cause) {
    throw invalidRoot(message`${shownAs} contains a key or certificate that cannot be read.`, cause);
  }
}

function invalidRoot(text: SafeText, cause?: unknown): AppregError {
  return new AppregError(
    'trusted-root-invalid',
    text,
    message`Give the trusted_root.json of a Sigstore instance; “cosign trusted-root create” and “gh attestation trusted-root” write one.`,
    { cause },
  );
}

function trustOf(root: TrustedRoot, facts: RootFacts, key: VendorKey | null): Trust {
  const material = toTrustMaterial(root, () => {
    if (key === null) throw new Error('a bundle with a key is refused before it is verified');
    return { publicKey: key.publicKey, validFor: () => true };
  });
  return { root: facts, material, key };
}

/**
 * The public key of a vendor: PEM, ECDSA P-256.
 * @param shownAs the name of the file, for messages
 * @throws AppregError (exit 2) for anything else
 */
export function readPublicKey(pem: string, shownAs: string): VendorKey {
  if (/PRIVATE KEY-----/.test(pem)) throw invalidKey(message`${shownAs} is a private key.`);
  let publicKey: KeyObject;
  try {
    publicKey = createPublicKey(pem);
  } catch (cause) {
    throw invalidKey(message`${shownAs} is not a public key in PEM.`, cause);
  }
  if (!isP256(publicKey)) throw invalidKey(message`${shownAs} is not an ECDSA key on the curve P-256.`);
  return { publicKey, sha256: fingerprintOf(publicKey).toString('hex') };
}

/** True for ECDSA on the curve P-256, the only kind of key that is used. */
export function isP256({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

/** The SHA-256 digest of a public key (SubjectPublicKeyInfo, DER). */
export function fingerprintOf(publicKey: KeyObject): Buffer {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}

function invalidKey(text: SafeText, cause?: unknown): AppregError {
  return new AppregError(
    'attestation-key-invalid',
    text,
    message`Give the public key as PEM: openssl ec -in key.pem -pubout -out key.pub`,
    { cause },
  );
}

/**
 * True if the trusted root is too old to verify a bundle: the bundle claims to be newer than the root, and was signed
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
