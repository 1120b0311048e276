import type { SignerPolicy } from '../facts/attestation.ts';
import type { Digest } from '../values/scalars.ts';
import { matchesGlob } from '../text/glob.ts';
import { message, type SafeText } from '../text/message.ts';
import { LARGEST_COMPANION } from '../registry/companion.ts';
import type {
  AttestationFailure,
  CertificateSigner,
  FailureCause,
  RootFacts,
  SignerFacts,
} from '../facts/attestation.ts';
import type { AppVersion } from './statement.ts';

/** Requirements on the content of an attestation. */
export interface AttestationPolicy {
  /** The digest of the artifact (of `artifactChecksum`, without its prefix). */
  sha256: Digest;
  /** The app and version that must be named, with provenance; null if only the bytes and the signer are judged. */
  app: AppVersion | null;
  /** The digest of the bill of materials that is beside the artifact; null without one. */
  sbomSha256: Digest | null;
  /** Null: any signer. */
  signer: SignerPolicy | null;
}

/** A claim of a signer that differs from what was expected. */
export interface IdentityMismatch {
  claim: 'key' | 'issuer' | 'identity' | 'repository';
  expected: string;
  actual: string | null;
}

/** The first claim that differs; null for the expected signer. */
export function identityMismatch(signer: SignerFacts, policy: SignerPolicy): IdentityMismatch | null {
  if ('key' in policy) {
    const actual = signer.kind === 'key' ? signer.sha256 : null;
    return actual === policy.key ? null : { claim: 'key', expected: policy.key, actual };
  }
  const claims = signer.kind === 'certificate' ? signer : NO_CLAIMS;
  for (const claim of ['issuer', 'identity', 'repository'] as const) {
    const expected = policy[claim];
    if (expected !== null && !MATCHES[claim](expected, claims[claim]))
      return { claim, expected, actual: claims[claim] };
  }
  return null;
}

const NO_CLAIMS: Pick<CertificateSigner, 'issuer' | 'identity' | 'repository'> = {
  issuer: null,
  identity: null,
  repository: null,
};

const MATCHES: Record<'issuer' | 'identity' | 'repository', (expected: string, actual: string | null) => boolean> = {
  issuer: (expected, actual) => expected === actual,
  identity: (expected, actual) => actual !== null && matchesGlob(expected, actual),
  repository: (expected, actual) => actual !== null && sameRepository(expected, actual),
};

/** True for two spellings of the same repository. */
export function sameRepository(one: string, other: string): boolean {
  return plainRepository(one) === plainRepository(other);
}

/** GitHub and GitLab ignore the case of names. */
function plainRepository(url: string): string {
  return url
    .replace(/^git\+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .toLowerCase();
}

/** The texts of a verification that failed. */

interface FailureText {
  rule: 'attestation-invalid';
  cause: FailureCause;
  message: SafeText;
  advice: SafeText;
}

export function failureProblem(failure: AttestationFailure, root: RootFacts): FailureText {
  const { cause, code } = failure;
  return { rule: 'attestation-invalid', cause, ...(BY_CODE[code] ?? BY_CAUSE[cause](code, root)) };
}

interface Text {
  message: SafeText;
  advice: SafeText;
}

const RESTORE = message`Restore the bundle that was published. If there is none, publish a new version with an attestation.`;

/** The codes of this project; all others are the verifier's. */
const BY_CODE: Readonly<Partial<Record<string, Text>>> = {
  'too-large': {
    message: message`The bundle is larger than ${LARGEST_COMPANION.attestation / 1e6} MB.`,
    advice: RESTORE,
  },
  json: { message: message`The bundle is not valid JSON.`, advice: RESTORE },
  'several-lines': {
    message: message`The file contains several attestations, one on each line; it must contain one bundle.`,
    advice: message`Keep only the line with the provenance of this artifact: "gh attestation download" writes a line for each attestation.`,
  },
  list: {
    message: message`The file contains a list of attestations; it must contain one bundle.`,
    advice: message`Write only the bundle with the provenance of this artifact to the file, without the brackets of the list.`,
  },
  bundle: { message: message`The JSON is not a valid Sigstore bundle (v0.1 to v0.3).`, advice: RESTORE },
  statement: { message: message`The signed payload is not an in-toto statement v1.`, advice: RESTORE },
  incomplete: {
    message: message`The facts of the attestation are incomplete.`,
    advice: message`Check the artifact again, and save new facts.`,
  },
  'no-artifact': {
    message: message`The bundle contains a signature of the artifact's bytes, but no provenance.`,
    advice: message`Publish the version with --attest, or sign an in-toto statement with SLSA provenance v1.`,
  },
  'no-key': {
    message: message`The bundle is signed with a key, and none was given to verify it.`,
    advice: message`Give the public key of the vendor (--key, or evidence.attestations.key).`,
  },
  'other-key': {
    message: message`The signature is not valid for the given key.`,
    advice: message`Check that the key is that of the vendor. If it is, the bundle was changed: restore the published one.`,
  },
};

const BY_CAUSE: Record<FailureCause, (code: string, root: RootFacts) => Text> = {
  form: (code) => ({ message: message`The bundle is malformed (${code}).`, advice: RESTORE }),
  signature: (code) => ({
    message: message`The signature is not valid for what the bundle contains (${code}).`,
    advice: RESTORE,
  }),
  certificate: (code, root) => ({
    message:
      code === 'TIMESTAMP_ERROR'
        ? message`No authority in the trusted root of ${day(root)} proves the time of the signature (${code}).`
        : message`The certificate was not valid at the time of the signature, or no authority in the trusted root of ${day(root)} issued it (${code}).`,
    advice: message`Restore the bundle that was published. A bundle of another Sigstore instance needs the trusted root of that instance (--trusted-root).`,
  }),
  log: (code) => ({
    message: message`The bundle does not prove that a transparency log contains the signature (${code}).`,
    advice: RESTORE,
  }),
  'root-outdated': (code, root) => ({
    message: message`The trusted root is too old: it is of ${day(root)}, and does not contain what the bundle was signed with later (${code}). This says nothing about the artifact.`,
    advice: root.shipped
      ? message`Update appreg, or give a current trusted root (--trusted-root).`
      : message`Give a current trusted root (--trusted-root).`,
  }),
};

function day({ date }: RootFacts): string {
  return date.slice(0, 10);
}
