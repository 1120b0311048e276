import { createHash, createPublicKey } from 'node:crypto';
import { type Bundle, bundleFromJSON } from '@sigstore/bundle';
import { ASN1Obj } from '@sigstore/core';
import { toSignedEntity, Verifier, type SignedEntity } from '@sigstore/verify';
import { LARGEST_COMPANION } from '../core/registry/companion.ts';
import type {
  AttestationFacts,
  AttestationFailure,
  SignerFacts,
  CertificateSigner,
} from '../core/facts/attestation.ts';
import { parseStatement, STATEMENT_MEDIA_TYPE } from '../core/attestation/statement.ts';
import { comparable, hasLogNames, logsOf } from './log-entries.ts';
import { isObject } from '../core/json/values.ts';
import { jsonValueIn } from '../core/json/value-in.ts';
import { outdatedRoot, type Trust } from './trust.ts';

/**
 * Verifies a Sigstore bundle (v0.1 to v0.3) without the network, in this order: size and JSON, signature, certificates
 * and timestamps, log inclusion. What it says about an artifact is for `judgeAttestation`.
 *
 * @param bytes the bundle
 * @param artifact the bytes of the artifact, for a bundle that signs them without a statement; with null, such a bundle
 * is refused
 * @returns a bundle that is not valid is a fact, never an error
 */
export function verifyAttestation(
  bytes: Uint8Array,
  trust: Trust,
  artifact: Uint8Array | null = null,
): AttestationFacts {
  const nothing: AttestationFacts = {
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    root: trust.root,
    failure: null,
    signer: null,
    signedAt: null,
    log: [],
    content: null,
  };
  try {
    return { ...nothing, ...verified(bytes, trust, artifact) };
  } catch (error) {
    if (error instanceof Refusal) return { ...nothing, failure: error.failure };
    throw error;
  }
}

/**
 * For a bundle that is signed with a key, and was verified without one: what it claims to be signed. A bundle of anything
 * else than a statement is refused.
 * @param facts of `verifyAttestation`
 */
export function withClaims(bytes: Uint8Array, facts: AttestationFacts): AttestationFacts {
  if (facts.failure?.code !== 'no-key') return facts;
  try {
    return { ...facts, claimed: contentOf(bundleIn(bytes), null) };
  } catch (error) {
    if (error instanceof Refusal) return { ...facts, failure: error.failure };
    throw error;
  }
}

/** Ends a verification. */
class Refusal extends Error {
  readonly failure: AttestationFailure;

  constructor(failure: AttestationFailure, cause?: unknown) {
    super(failure.code, { cause });
    this.failure = failure;
  }
}

type Verified = Pick<AttestationFacts, 'signer' | 'signedAt' | 'log' | 'content'>;

function verified(bytes: Uint8Array, trust: Trust, artifact: Uint8Array | null): Verified {
  if (bytes.length > LARGEST_COMPANION.attestation) throw new Refusal({ cause: 'form', code: 'too-large' });
  const bundle = bundleIn(bytes);
  if (bundle.content.$case === 'messageSignature' && artifact === null)
    throw new Refusal({ cause: 'form', code: 'no-artifact' });
  const read = reading('bundle', () => toSignedEntity(bundle, artifact === null ? undefined : Buffer.from(artifact)));
  const entity = { ...read, signature: comparable(bundle, read.signature) };
  checkSignature(entity, trust);
  const identity = checkCertificateAndLog(entity, trust);
  return {
    signer: identity,
    signedAt: earliestTime(entity),
    log: entity.tlogEntries.map(({ logId, logIndex }) => ({ logId: logId.keyId.toString('hex'), index: logIndex })),
    content: contentOf(bundle, artifact),
  };
}

function bundleIn(bytes: Uint8Array): Bundle {
  const text = Buffer.from(bytes).toString('utf8');
  const json = jsonValueIn(text);
  if (json === undefined) throw new Refusal({ cause: 'form', code: isOnePerLine(text) ? 'several-lines' : 'json' });
  if (Array.isArray(json)) throw new Refusal({ cause: 'form', code: 'list' });
  return reading('bundle', () => bundleFromJSON(json));
}

/** True for JSON lines: `gh attestation download` writes each attestation of an artifact on a line of its own. */
function isOnePerLine(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every((line) => isObject(jsonValueIn(line)));
}

/** Refuses a bundle that cannot be parsed: the parser throws many kinds of errors. */
function reading<Value>(code: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new Refusal({ cause: 'form', code }, error);
  }
}

/** The signature by the key that the bundle names, which is verified afterwards. */
function checkSignature({ key, signature }: SignedEntity, trust: Trust): void {
  if (key.$case === 'public-key') {
    if (trust.key === null) throw new Refusal({ cause: 'signature', code: 'no-key' });
    const { publicKey } = trust.key;
    if (!reading('bundle', () => signature.verifySignature(publicKey)))
      throw new Refusal({ cause: 'signature', code: 'other-key' });
    return;
  }
  const { certificate } = key;
  const isValid = reading('bundle', () =>
    signature.verifySignature(createPublicKey({ key: certificate.publicKey, format: 'der', type: 'spki' })),
  );
  if (!isValid) throw new Refusal({ cause: 'signature', code: 'SIGNATURE_ERROR' });
}

/** A certificate needs a verified time and an entry in a log; a key may do without. What is in the bundle is verified. */
function checkCertificateAndLog(entity: SignedEntity, trust: Trust): SignerFacts {
  const threshold = entity.key.$case === 'certificate' ? 1 : 0;
  const material = { ...trust.material, tlogs: logsOf(entity.tlogEntries, trust.material.tlogs) };
  const verifier = new Verifier(material, { tlogThreshold: threshold, timestampThreshold: threshold });
  if (!entity.tlogEntries.every((entry) => hasLogNames(entry, material.tlogs)))
    throw new Refusal({ cause: 'log', code: 'TLOG_INCLUSION_PROOF_ERROR' });
  try {
    const { identity } = verifier.verify(entity);
    if (identity !== undefined) return certificateSigner(identity);
  } catch (error) {
    const failure = failureOf(error);
    const mayBeOutdated = failure.cause === 'certificate' || failure.cause === 'log';
    const outdated = mayBeOutdated ? reading('bundle', () => outdatedRoot(entity, trust)) : null;
    throw new Refusal(outdated === null ? failure : { cause: 'root-outdated', code: outdated }, error);
  }
  if (trust.key === null) throw new Refusal({ cause: 'signature', code: 'no-key' });
  return { kind: 'key', sha256: trust.key.sha256 };
}

/** The codes of the verifier; an error without one is that of a malformed part. */
function failureOf(error: unknown): AttestationFailure {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'malformed';
  if (code === 'CERTIFICATE_ERROR' || code === 'TIMESTAMP_ERROR') return { cause: 'certificate', code };
  if (code.startsWith('TLOG_')) return { cause: 'log', code };
  return { cause: code === 'SIGNATURE_ERROR' || code === 'PUBLIC_KEY_ERROR' ? 'signature' : 'form', code };
}

/** The earliest of the times that were verified; only an inclusion promise signs the time of a log entry. */
function earliestTime({ timestamps }: SignedEntity): string | null {
  const times = timestamps.flatMap((one) => {
    if (one.$case === 'timestamp-authority') return [one.timestamp.signingTime.getTime()];
    return one.tlogEntry.inclusionPromise ? [Number(one.tlogEntry.integratedTime) * 1000] : [];
  });
  return times.length === 0 ? null : new Date(Math.min(...times)).toISOString();
}

function contentOf({ content }: Bundle, artifact: Uint8Array | null): AttestationFacts['content'] {
  if (content.$case === 'messageSignature')
    return artifact && { kind: 'artifact', sha256: createHash('sha256').update(artifact).digest('hex') };
  const { payloadType, payload } = content.dsseEnvelope;
  const statement = payloadType === STATEMENT_MEDIA_TYPE ? parseStatement(payload.toString('utf8')) : null;
  if (statement === null) throw new Refusal({ cause: 'form', code: 'statement' });
  return { kind: 'statement', statement };
}

/** The identity of a verified certificate, as the verifier returns it. */
interface CertificateIdentity {
  subjectAlternativeName?: string;
  extensions?: { issuer?: string };
  oids?: readonly { oid?: { id: readonly number[] } | undefined; value: Uint8Array }[];
}

/** The extensions of Fulcio: https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md */
const FULCIO = '1.3.6.1.4.1.57264.1';
/** The number of its tag. */
const UTF8_STRING = 0x0c;
const CLAIMS = { repository: 12, commit: 13, ref: 14, run: 21 } as const;

function certificateSigner(identity: CertificateIdentity): CertificateSigner {
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

/** A UTF8String in DER (X.690). Null for anything else, and if bytes follow it. */
function utf8String(der: Buffer<ArrayBuffer>): string | null {
  try {
    const value = ASN1Obj.parseBuffer(der);
    const isText = value.tag.isUniversal() && value.tag.number === UTF8_STRING && value.toDER().equals(der);
    return isText ? value.value.toString('utf8') : null;
  } catch {
    // The package throws several kinds of errors for bytes that are not DER.
    return null;
  }
}
