import type { ColumnType } from 'kysely';
import type { AttestationFacts } from '../../core/attestation/facts.ts';

/** The rows of attestations: what the hosts have, and what was decided for each subscription. */

/** What is known about the attestation of a version: of a registry, for all of its subscribers. */
export interface AttestationRow {
  registryId: number;
  appKey: string;
  version: string;
  /** The digest of the public key that it was verified with; '' without a key. */
  keySha256: string;
  /** `artifactChecksum` of the version that the row is about: of another one, nothing is known. */
  checksum: string;
  /**
   * `proven`: the bundle is a valid attestation of the version, by any signer. `unknown`: the host did not say.
   * `url-signed`: the URL of the artifact is signed by its query, so that no URL of an attestation is known.
   */
  state: 'proven' | 'unproven' | 'absent' | 'unknown' | 'url-signed';
  /** Null without a bundle; written as JSON. */
  facts: ColumnType<AttestationFacts | null, string | null, string | null>;
  /** When the host was last asked for it. */
  askedAt: Date;
}

/** What was decided about an offered version for a subscription that requires attestations. */
export interface AttestationDecisionRow {
  subscriptionId: string;
  appKey: string;
  version: string;
  /** The pinned digest: the decision is about no other one. */
  checksum: string;
  /** `offered-before`: it was offered when the organization began to require attestations, or those of another signer. */
  decision: 'held' | 'attested' | 'offered-before';
  /** Since when it was held back; null if it never was. */
  heldSince: Date | null;
}
