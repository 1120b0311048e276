import type { Missing } from '../facts/missing.ts';
import type { Failure } from '../facts/probe.ts';
import { isMachineLimit } from './machine-limit.ts';

/** Why a probe is missing whose request this machine could not send; null for other failures. */
export function machineLimitOf(failure: Failure | null): Missing | null {
  return failure?.phase === 'not-sent' && isMachineLimit(failure.code)
    ? { missing: { code: 'machine-limit', failure: failure.code } }
    : null;
}
