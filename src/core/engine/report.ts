import type { ErrorCode } from '../error-codes/index.ts';
import type { ResourceKind } from '../facts/facts.ts';
import type { NotJudgedCode } from '../facts/missing.ts';

/**
 * The report of a run: the vocabulary and shapes of `--format json` (schemas/report.schema.json). Absent values are
 * null.
 */

export type Severity = 'error' | 'warning' | 'note';
export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note'];

/** The four symptoms of spec section 7, in its order. */
export type Symptom =
  | 'registry-does-not-refresh'
  | 'checksum-mismatch'
  | 'icon-does-not-display'
  | 'app-does-not-appear';
export const SYMPTOMS: readonly Symptom[] = [
  'registry-does-not-refresh',
  'checksum-mismatch',
  'icon-does-not-display',
  'app-does-not-appear',
];

/** The symptom of a transport problem: that of the affected resource. */
export const SYMPTOM_OF_KIND: Record<ResourceKind, Symptom> = {
  manifest: 'registry-does-not-refresh',
  metadata: 'app-does-not-appear',
  artifact: 'checksum-mismatch',
  icon: 'icon-does-not-display',
};

export type Evidence = Record<string, string | number | boolean | null | readonly string[]>;

/** Why a finding does not count, as the configuration says. */
export interface Excepted {
  reason: string;
  /** The last day, YYYY-MM-DD in UTC; null for no end. */
  until: string | null;
  issue: string | null;
}

export interface Finding {
  rule: string;
  severity: Severity;
  symptom: Symptom | null;
  /** Section of the specification, or null if the rule is not based on it. */
  spec: string | null;
  message: string;
  advice: string;
  /** Machine-readable cause within the rule. */
  cause: string | null;
  app: string | null;
  version: string | null;
  resource: ResourceKind;
  url: string | null;
  file: string | null;
  /** RFC 6901. */
  pointer: string | null;
  /** 1-based; columns count UTF-16 code units, as editors do. */
  line: number | null;
  column: number | null;
  evidence: Evidence;
  /** Set if an exception covers it: it does not count, except for visibility and symptoms. */
  excepted: Excepted | null;
  /** True if it is also in the baseline report: it does not count, except for visibility and symptoms. */
  baseline: boolean;
}

/** A rule whose facts were not observed, with the reason. */
export interface NotJudged {
  rule: string;
  app: string | null;
  version: string | null;
  resource: ResourceKind | null;
  code: NotJudgedCode;
  /** The reason in words. */
  reason: string;
  /** The rule whose finding prevents the check; null for another reason. */
  blockedBy: string | null;
  /** How many further subjects this entry counts, for a rule with too many to list; null for an entry about one. */
  count: number | null;
}

export interface SymptomStatus {
  id: Symptom;
  status: 'clear' | 'suspected' | 'confirmed' | 'not-judged';
  rules: string[];
}

export interface AppVerdict {
  key: string;
  /**
   * Whether subscribers see the app: its documents can be used, and a version is offered. Null when that is not known,
   * such as when no artifact was examined.
   */
  visible: boolean | null;
  /** Ids of the rules that hide it, or that keep its visibility unknown. */
  because: readonly string[];
  /** The highest version that is offered, as far as is known, plain ones preferred; null for a hidden app. */
  latest: string | null;
}

export type Outcome = 'clean' | 'findings' | 'incomplete';
export const CHECK_COMMANDS = ['lint', 'verify', 'diagnose', 'judge'] as const;
export type CheckCommand = (typeof CHECK_COMMANDS)[number];

export interface Summary {
  errors: number;
  warnings: number;
  notes: number;
  /** Findings that do not count as any of these: excepted, or in the baseline. */
  excepted: number;
  notJudged: number;
  apps: number;
  versions: number;
  artifacts: number;
  bytes: number;
  seconds: number;
}

/** Why a run ended early: an error of docs/errors.md. */
export interface RunError {
  code: ErrorCode;
  message: string;
  hint: string | null;
  /** The exit code of the run. */
  exit: number;
  /** The ids of the rules that a refused change violates. */
  rules?: readonly string[];
}

export interface Report {
  schema: 1;
  tool: { name: 'appreg'; version: string };
  command: CheckCommand;
  target: string;
  outcome: Outcome;
  summary: Summary;
  symptoms: SymptomStatus[];
  apps: AppVerdict[];
  findings: Finding[];
  notJudged: NotJudged[];
  /** Only of a run that an error ended before anything was judged. */
  error?: RunError;
}

/** True for a finding that counts: neither excepted nor in the baseline. */
export function counts({ excepted, baseline }: Pick<Finding, 'excepted' | 'baseline'>): boolean {
  return excepted === null && !baseline;
}

/**
 * The exit code of a check: 0 no errors and at most `maxWarnings` warnings, 1 findings, 2 when a rule
 * crashed or the run could not be completed.
 */
export function exitCode(report: Report, maxWarnings: number | null): 0 | 1 | 2 {
  if (report.outcome === 'incomplete') return 2;
  if (report.summary.errors > 0) return 1;
  if (maxWarnings !== null && report.summary.warnings > maxWarnings) return 1;
  return 0;
}
