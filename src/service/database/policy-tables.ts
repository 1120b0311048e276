import type { HoldCause } from '../../core/policy/decide.ts';

/** The rows of policies: what was decided about the versions that a subscription would be offered without its policy. */

export interface PolicyDecisionRow {
  subscriptionId: string;
  registryId: number;
  appKey: string;
  version: string;
  /** `artifactChecksum` of the version: the decision is about no other one. */
  checksum: string;
  /** Why the policy holds the version back, and the line of the policy; null if it does not. */
  cause: HoldCause | null;
  line: string | null;
  /**
   * From when the version is offered; null if time alone does not change that. For a version that is not held back, a time
   * in the past.
   */
  offeredAt: Date | null;
}
