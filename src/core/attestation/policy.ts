import { matchesGlob } from '../text/glob.ts';
import type { Digest } from '../scalars.ts';
import type { CertificateSigner, SignerFacts } from './facts.ts';
import type { AppVersion } from './statement.ts';

/** What an attestation has to prove. */
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
