import type { Severity, SymptomStatus } from '../core/engine/report.ts';
import type { Pair } from './diagnosis-evidence.ts';

/** The text parts of a diagnosis, independent of layout. */

export interface Cause {
  severity: Severity;
  rule: string;
  message: string;
  /** The affected apps and versions, or null. */
  affected: string | null;
  who: string;
  /** Where it was observed. */
  place: string;
  /** What was observed there. */
  evidence: Pair[];
  /** Other locations, one line each, if they are few or all are requested. */
  also: string[];
  /** What to do everywhere; null if that differs between the places, which `remedies` lists. */
  next: string | null;
  /** What to do at each place, one line each. */
  remedies: string[];
  /** Why it does not count, such as `in the baseline`; '' if it counts. */
  uncounted: string;
}

export interface SymptomView {
  title: string;
  status: SymptomStatus['status'];
  /** What was checked, or why it was not; or null. */
  summary: string | null;
  causes: Cause[];
  /** One line each: the number of omitted causes, and what hides an app elsewhere. */
  remarks: string[];
}

export interface View {
  symptoms: SymptomView[];
  /** Findings that belong to no symptom. */
  withoutSymptom: SymptomView | null;
  apps: string[];
  /** What to check next, if no finding explains a failure; or null. */
  next: { title: string; lines: string[] } | null;
  /** Why something was not observed. */
  notChecked: string[];
  /** Registry, time, tool and counts, to be quoted. */
  closing: string[];
}
