import type { Severity, SymptomStatus } from '../core/engine/report.ts';
import type { Pair } from './diagnosis-evidence.ts';

/** The parts of a diagnosis in words, before any layout. */

export interface Cause {
  severity: Severity;
  rule: string;
  message: string;
  /** The apps and versions it is about, or null. */
  about: string | null;
  who: string;
  /** Where it was seen, and what. */
  place: string;
  seen: Pair[];
  /** Where else, one line each, where these are few or all are to be told. */
  also: string[];
  next: string;
}

export interface SymptomView {
  title: string;
  status: SymptomStatus['status'];
  /** What was checked, or why it was not; or null. */
  gist: string | null;
  causes: Cause[];
  /** One line each: how many causes are left out, what hides an app elsewhere. */
  remarks: string[];
}

export interface View {
  symptoms: SymptomView[];
  /** What belongs to no symptom. */
  besides: SymptomView | null;
  apps: string[];
  /** What to look at next, where nothing explains a failure; or null. */
  next: { title: string; lines: string[] } | null;
  /** Why something was not looked at. */
  unseen: string[];
  /** Registry, time, tool and counts, to be quoted. */
  closing: string[];
}
