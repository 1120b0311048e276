import type { Missing } from './missing.ts';
import type { Count, Digest, Moment } from '../values/scalars.ts';

/** Result of the verification of an attestation: plain JSON, from which `judgeAttestation` repeats the verdict. */
export interface AttestationFacts {
  /** The size of the bundle. */
  bytes: Count;
  /** The digest of the bundle. */
  sha256: Digest;
  /** The trusted root that it was verified with. */
  root: RootFacts;
  /** The reason why the bundle proves nothing; null if it was verified. */
  failure: AttestationFailure | null;
  /** Null if it was not verified. */
  signer: SignerFacts | null;
  /** The earliest verified time; null if it was not verified, and for a signature by a key without a time. */
  signedAt: Moment | null;
  /** The entries of transparency logs that contain the signature. */
  log: readonly LogEntryFacts[];
  /** The signed content: a statement, or the bytes of the artifact themselves. Null if it was not verified. */
  content: StatementContent | ArtifactContent | null;
  /** Unverified content of the bundle, present if no key was given; only a mistake is found in it. */
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

/** Parts of a bundle that can be at fault, in the order of the checks. */
export type FailureCause = 'form' | 'signature' | 'certificate' | 'log' | 'root-outdated';

export interface AttestationFailure {
  cause: FailureCause;
  /** The code of the fault: one of ours, or that of the verifier (`CERTIFICATE_ERROR`). */
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

/** Content of a verified statement. */
export interface StatementFacts {
  subjects: readonly SubjectFacts[];
  predicateType: string;
  /** Null for another predicate than SLSA provenance v1. */
  build: BuildFacts | null;
}

export interface SubjectFacts {
  name: string;
  /** Null without a SHA-256 digest. */
  sha256: Digest | null;
}

export interface BuildFacts {
  buildType: string;
  /** Null for a build type that is not known. */
  parameters: BuildParameters | null;
  /** The commit of the source repository, as the statement names it. */
  commit: string | null;
  builder: string | null;
  /** URL of the run. */
  run: string | null;
}

/** The workflow, or pipeline, that started a build. */
export interface BuildWorkflow {
  /** URL of the source repository. */
  repository: string;
  /** Full git ref: `refs/heads/main`. */
  ref: string;
  /** The file of the workflow in the repository. */
  path: string;
}

/** External parameters of a build. */
export interface BuildParameters {
  /** The app key; null for a build type without one. */
  app: string | null;
  version: string | null;
  workflow: BuildWorkflow | null;
  /** JSON Pointers of parameters that the build type does not have, or that are not texts. */
  unknown: readonly string[];
}

/** Who has to have signed: the holder of a key (digest of the public key), or an identity. */
export type SignerPolicy = { key: Digest } | IdentityPolicy;

/** Null matches anything. */
interface IdentityPolicy {
  /** The OIDC issuer, exactly. */
  issuer: string | null;
  /** The subject alternative name; `*` matches within a segment of a path, `**` across segments. */
  identity: string | null;
  /** URL of the source repository, with or without `.git` or a slash at its end. */
  repository: string | null;
}

/** The attestation at the URL beside an artifact, or its absence, with the requirement of the check. */
export type ObservedAttestation = AbsentAttestation | PresentAttestation;

/** There is none: the host has no such file. */
interface AbsentAttestation {
  state: 'absent';
}

interface PresentAttestation {
  state: 'present';
  facts: AttestationFacts;
  /** The bill of materials beside the artifact; absent if the attestation does not name one. */
  bill?: ObservedBill | Missing;
}

export interface ObservedBill {
  /** Null if the host has none. */
  sha256: Digest | null;
}

/** Requirements of a check on attestations. */
export interface AttestationRequirement {
  /**
   * `report`: what they do not prove is a warning; `require`: it is an error, and a version without a valid attestation is
   * not offered.
   *
   * @asType string
   */
  mode: 'report' | 'require';
  /** Null: any signer, so that an attestation does not prove who built the artifact. */
  signer: SignerPolicy | null;
}
