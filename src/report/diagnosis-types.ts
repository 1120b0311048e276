import type { Severity, SymptomStatus } from '../core/engine/report.ts';
import type { Pair } from './diagnosis-evidence.ts';

/** The text parts of a diagnosis, independent of layout. */

export interface Cause {
  severity: Severity;
  rule: string;
  message: string;
  /** The affected apps and versions, or null. */
  about: string | null;
  who: string;
  /** Where and what was observed. */
  place: string;
  seen: Pair[];
  /** Other locations, one line each, if they are few or all are requested. */
  also: string[];
  next: string;
}

export interface SymptomView {
  title: string;
  status: SymptomStatus['status'];
  /** What was checked, or why it was not; or null. */
  gist: string | null;
  causes: Cause[];
  /** One line each: the number of omitted causes, and what hides an app elsewhere. */
  remarks: string[];
}

export interface View {
  symptoms: SymptomView[];
  /** Findings that belong to no symptom. */
  besides: SymptomView | null;
  apps: string[];
  /** What to check next, if no finding explains a failure; or null. */
  next: { title: string; lines: string[] } | null;
  /** Why something was not observed. */
  unseen: string[];
  /** Registry, time, tool and counts, to be quoted. */
  closing: string[];
}
