import type { Count, Digest, Moment } from '../scalars.ts';
import type { StatementFacts } from './statement.ts';

/** What the verification of an attestation found: plain JSON, from which `judgeAttestation` repeats the verdict. */
export interface AttestationFacts {
  /** The size of the bundle. */
  bytes: Count;
  /** The digest of the bundle. */
  sha256: Digest;
  /** The trusted root that it was verified with. */
  root: RootFacts;
  /** Why the bundle proves nothing; null if it was verified. */
  failure: AttestationFailure | null;
  /** Null if it was not verified. */
  signer: SignerFacts | null;
  /** The earliest verified time; null if it was not verified, and for a signature by a key without a time. */
  signedAt: Moment | null;
  /** The entries of transparency logs that contain the signature. */
  log: readonly LogEntryFacts[];
  /** What is signed: a statement, or the bytes of the artifact themselves. Null if it was not verified. */
  content: StatementContent | ArtifactContent | null;
  /** What a bundle claims that could not be verified, since no key was given; only a mistake is found in it. */
  claimed?: StatementContent | ArtifactContent | null;
}

interface StatementContent {
  kind: 'statement';
  statement: StatementFacts;
}

interface ArtifactContent {
  kind: 'artifact';
  sha256: Digest;
}

export interface RootFacts {
  /** The trusted root is known to be complete up to this time. */
  date: Moment;
  /** True for the one that the package contains. */
  shipped: boolean;
}

/** What part of a bundle is at fault, in the order of the checks. */
export type FailureCause = 'form' | 'signature' | 'certificate' | 'log' | 'root-outdated';

export interface AttestationFailure {
  cause: FailureCause;
  /** Why, as a code: one of ours, or that of the verifier (`CERTIFICATE_ERROR`). */
  code: string;
}

/** Who signed: the holder of a key, or an identity that a certificate authority confirmed. */
export type SignerFacts = KeySigner | CertificateSigner;

interface KeySigner {
  kind: 'key';
  /** Of the public key (SubjectPublicKeyInfo, DER). */
  sha256: Digest;
}

/** The claims in a certificate of Fulcio (https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md). */
export interface CertificateSigner {
  kind: 'certificate';
  /** The OIDC issuer, such as `https://token.actions.githubusercontent.com`. */
  issuer: string | null;
  /** The subject alternative name: the URL of a workflow with its ref, or an e-mail address. */
  identity: string | null;
  /** URL of the source repository. */
  repository: string | null;
  /** The commit of the source repository. */
  commit: string | null;
  /** The git ref of the source repository. */
  ref: string | null;
  /** URL of the run. */
  run: string | null;
}

interface LogEntryFacts {
  /** The id of the log: the SHA-256 digest of its public key. */
  logId: Digest;
  index: string;
}
