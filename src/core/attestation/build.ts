import type { AttestationFacts } from '../facts/attestation.ts';

/** Who built a version, from which commit, as its attestation proves it. Null for what it does not say. */
export interface Build {
  issuer: string | null;
  identity: string | null;
  /** The digest of the public key, for a signature by a key. */
  key: string | null;
  repository: string | null;
  commit: string | null;
  ref: string | null;
  /** URL of the run. */
  run: string | null;
  signedAt: string | null;
}

/** Reads the build from the signer's certificate; fields that it does not contain, from the signed statement. */
export function buildOf({ signer, content, signedAt }: AttestationFacts): Build {
  const certificate = signer?.kind === 'certificate' ? signer : null;
  const stated = content?.kind === 'statement' ? content.statement.build : null;
  const workflow = stated?.parameters?.workflow ?? null;
  return {
    issuer: certificate?.issuer ?? null,
    identity: certificate?.identity ?? null,
    key: signer?.kind === 'key' ? signer.sha256 : null,
    repository: certificate?.repository ?? workflow?.repository ?? null,
    commit: certificate?.commit ?? stated?.commit ?? null,
    ref: certificate?.ref ?? workflow?.ref ?? null,
    run: certificate?.run ?? stated?.run ?? null,
    signedAt,
  };
}
