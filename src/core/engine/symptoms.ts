import type { Severity, Symptom, SymptomStatus } from './report.ts';
import { outranks } from './supersede.ts';

/** The status of each symptom (spec section 7): a function of the findings, verdicts and missing facts that bear on it. */

/** What bears on one symptom. */
export interface Bearing {
  /** The highest severity among the findings with this symptom; null if there is none. */
  severity: Severity | null;
  /** True if one of these findings confirms the symptom by itself. */
  confirmed: boolean;
  /** True if the symptom is "app does not appear" and an app is known to be hidden. */
  hidden: boolean;
  /** True if a fact is missing that a rule about this symptom needs. */
  unknown: boolean;
}

/**
 * Notes do not make a symptom suspected. An error confirms every symptom except "app does not appear", which a hidden
 * app confirms.
 */
export function statusOf(symptom: Symptom, bearing: Bearing): SymptomStatus['status'] {
  const { severity, confirmed, hidden, unknown } = bearing;
  if (hidden || confirmed || (severity === 'error' && symptom !== 'app-does-not-appear')) return 'confirmed';
  if (severity === 'error' || severity === 'warning') return 'suspected';
  return unknown ? 'not-judged' : 'clear';
}

/** The higher of two severities. */
export function highest(one: Severity | null, other: Severity): Severity {
  return one !== null && outranks(one, other) ? one : other;
}
