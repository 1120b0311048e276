import { policyViolations } from '../../core/policy/policy.ts';
import type { PolicyDocument } from '../../core/policy/policy-document.ts';

/** A policy, as the API and the form send it. */

/** Maximum characters of a policy, as JSON without spaces: what fits into a request. */
const LONGEST_POLICY = 15_000;

/** What is wrong with a policy: its place, and a sentence. */
interface PolicyFault {
  /** RFC 6901. */
  pointer: string;
  message: string;
}

/** @param value as it was sent */
export function readPolicy(value: unknown): { document: PolicyDocument } | { faults: readonly PolicyFault[] } {
  if (JSON.stringify(value).length > LONGEST_POLICY)
    return { faults: [{ pointer: '', message: `The policy is longer than ${LONGEST_POLICY} characters.` }] };
  const faults = policyViolations(value);
  // Without violations, it has the form of the schema.
  return faults.length > 0 ? { faults } : { document: value as PolicyDocument };
}
