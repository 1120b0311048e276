import { holdText } from '../../core/policy/hold-text.ts';
import type { PolicyDecisionRow } from '../database/policy-tables.ts';
import type { PolicyHold } from './schema.ts';

/** Why a policy holds a version back, for programs and for people. Pure. */

export type { PolicyHold };

/** The decision about a version, as JSON of the database: times are ISO 8601. Without a decision, all is null. */
export interface StoredHold extends Pick<PolicyDecisionRow, 'cause' | 'line'> {
  offeredAt: string | null;
}

/** @param decision null if the policy was not applied to the version yet */
export function policyHold(decision: Pick<PolicyDecisionRow, 'cause' | 'line' | 'offeredAt'> | null): PolicyHold {
  if (decision === null || decision.cause === null || decision.line === null) return UNDECIDED;
  const { cause, line, offeredAt } = decision;
  return { cause, line, offeredAt: offeredAt?.toISOString() ?? null, message: holdText({ cause, line, offeredAt }) };
}

const UNDECIDED: PolicyHold = {
  cause: null,
  line: null,
  offeredAt: null,
  message: 'The policy is applied to it at the end of the check.',
};
