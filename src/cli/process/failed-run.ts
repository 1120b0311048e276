import { exitCodeOf } from '../../core/error-codes/exit-codes.ts';
import { isAppregError } from '../../core/errors.ts';
import type { FailedRun } from '../../report/results.ts';

/** What a document says about a thrown error. */
export function failureOf(error: unknown): FailedRun {
  if (isAppregError(error)) {
    const { code, message, hint, exit, rules } = error;
    const outcome = exit > 128 ? 'interrupted' : FAILURES[exit === 1 ? 1 : 0];
    return { outcome, error: { code, message, hint, exit, ...(rules.length > 0 && { rules }) } };
  }
  const message = 'Internal error in appreg; its stack is on stderr.';
  return {
    outcome: 'failed',
    error: { code: 'defect', message, hint: 'Please report it.', exit: exitCodeOf('defect') },
  };
}

const FAILURES = ['failed', 'refused'] as const;
