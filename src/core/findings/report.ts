import type { ErrorCode } from '../errors/codes/index.ts';
import type { DocumentFacts, ResourceKind } from '../facts/facts.ts';
import type { NotJudgedCode } from '../facts/missing.ts';
import type { Position as InputPosition } from '../json/input-file.ts';
import type { VersionRange } from '../registry/version-range.ts';
import type { Severity } from '../values/severity.ts';
import type { Evidence } from '../values/evidence.ts';
import type { Count, Fingerprint, Integer, Position, PositiveInteger, RuleId, Sentence } from '../values/scalars.ts';

/** The four symptoms of spec section 7, in its order. */
export type Symptom =
  | 'registry-does-not-refresh'
  | 'checksum-mismatch'
  | 'icon-does-not-display'
  | 'app-does-not-appear';

/** All symptoms, in the order of reports. */
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

/**
 * The exception of the configuration that covers a finding, which therefore does not count; visibility and symptoms are
 * as without it.
 */
export interface Excepted {
  reason: Sentence;
  /**
   * The last day of the exception, YYYY-MM-DD in UTC; null for no end.
   *
   * @pattern ^[0-9]{4}-[0-9]{2}-[0-9]{2}$
   */
  until: string | null;
  issue: string | null;
}

/** One problem of a registry: the rule, where it is, and what to do. */
export interface Finding {
  rule: RuleId;
  severity: Severity;
  symptom: Symptom | null;
  /**
   * Section of the specification, or null if the rule is not based on it.
   *
   * @pattern ^[1-9](\.[1-9])?$
   */
  spec: string | null;
  message: Sentence;
  advice: Sentence;
  /**
   * Machine-readable cause within the rule.
   *
   * @pattern ^[a-z0-9]+(-[a-z0-9]+)*$
   */
  cause: string | null;
  app: string | null;
  version: string | null;
  resource: ResourceKind;
  url: string | null;
  file: string | null;
  /**
   * JSON Pointer (RFC 6901).
   *
   * @pattern ^(/([^~/]|~[01])*)*$
   */
  pointer: string | null;
  line: Position | null;
  /** Counts UTF-16 code units, as editors do. */
  column: Position | null;
  evidence: Evidence;
  /** Set if an exception covers it: it does not count, except for visibility and symptoms. */
  excepted: Excepted | null;
  /** True if it is also in the baseline report: it does not count, except for visibility and symptoms. */
  baseline: boolean;
  /**
   * True if it was there before, as `--against` or `--baseline` show, and only a new version changes it: a published one
   * must not be corrected (section 2.4). It does not count, and hides no version.
   */
  unfixable: boolean;
  /** The registry that it is about: one of `registries` of the report. */
  registry: string;
  /** Identifies it in every report about that registry. */
  fingerprint: Fingerprint;
}

/** A finding of an earlier report, as far as it is recognized. */
export interface KnownFinding {
  rule: RuleId;
  app: string | null;
  version: string | null;
  registry: string;
  fingerprint: Fingerprint;
}

/** A rule whose facts were not observed, with the reason. */
export interface NotJudged {
  /**
   * `*` for no rule: the run as a whole or, with a resource, what was left to another run or reused from an earlier one.
   *
   * @pattern ^(\*|[a-z0-9]+(-[a-z0-9]+)*)$
   */
  rule: string;
  app: string | null;
  version: string | null;
  resource: ResourceKind | null;
  /** The reason, for programs. */
  code: NotJudgedCode;
  /** The reason in words. */
  reason: Sentence;
  /** The rule whose finding prevents the check; null for another reason. */
  blockedBy: RuleId | null;
  /** The number of further subjects of this entry, for a rule with too many to list; null for an entry about one. */
  count: PositiveInteger | null;
}

/** A symptom, how certain it is, and the rules with findings about it. */
export interface SymptomStatus {
  id: Symptom;
  status: 'clear' | 'suspected' | 'confirmed' | 'not-judged';
  /** @uniqueItems true */
  rules: RuleId[];
}

/** The visibility of an app to subscribers, as far as it was checked. */
export interface AppVerdict {
  key: string;
  /**
   * True if subscribers see the app: its documents can be used, and a version is offered. Null when that is not known,
   * such as when no artifact was examined.
   */
  visible: boolean | null;
  /**
   * Ids of the rules that hide it, or that keep its visibility unknown.
   *
   * @uniqueItems true
   */
  because: readonly RuleId[];
  /** The highest version that is offered, as far as is known, plain ones preferred; null for a hidden app. */
  latest: string | null;
}

/** The result of a run: `incomplete` if a rule could not be judged. */
export type Outcome = 'clean' | 'findings' | 'incomplete';

/** The commands whose result is a report. */
export const CHECK_COMMANDS = ['lint', 'verify', 'diagnose', 'judge'] as const;

/** The command that made a report. */
export type CheckCommand = (typeof CHECK_COMMANDS)[number];

/** The numbers of a report. */
export interface Summary {
  errors: Count;
  warnings: Count;
  notes: Count;
  /** Findings that do not count as any of these: excepted, or in the baseline. */
  excepted: Count;
  /** Findings about published versions, which only a new version changes, and which do not count either. */
  unfixable: Count;
  notJudged: Count;
  apps: Count;
  versions: Count;
  /** Artifacts that were hashed. */
  artifacts: Count;
  /** Bytes that were read. */
  bytes: Count;
  /** @minimum 0 */
  seconds: number;
}

/** Error that ended a run early: an error of docs/errors.md. */
export interface RunError {
  /** @asType string */
  code: ErrorCode;
  message: string;
  hint: string | null;
  /** The exit code of the run. */
  exit: Integer;
  /** The ids of the rules that a refused change violates. */
  rules?: readonly string[];
}

/**
 * Report of `lint`, `verify`, `diagnose` and `judge` with `--format json`. Absent values are null, never missing.
 *
 * @title appreg report
 */
export interface Report {
  schema: 1;
  tool: { name: 'appreg'; version: string };
  command: CheckCommand;
  /** The checked registry, as the user named it; secrets in URLs are hidden. */
  target: string;
  /**
   * The checked registries: the URL of the manifest if it is known, otherwise its path from the root of its repository.
   *
   * @uniqueItems true
   */
  registries: string[];
  /** `findings`: at least one finding counts. `incomplete`: a rule failed, or the run did not observe everything. */
  outcome: Outcome;
  summary: Summary;
  /**
   * The four symptoms of the specification's section 7, in its order.
   *
   * @orderedBy id
   */
  symptoms: SymptomStatus[];
  /** Every app of the manifest, sorted by key. */
  apps: AppVerdict[];
  findings: Finding[];
  /** The findings of the baseline report that were looked for and no longer occur. */
  resolved: KnownFinding[];
  notJudged: NotJudged[];
  /** Only of a run that an error ended before anything was judged. */
  error?: RunError;
}

/** True for a finding that counts: neither excepted nor in the baseline, nor one that only a new version changes. */
export function isCountedFinding({
  excepted,
  baseline,
  unfixable,
}: Pick<Finding, 'excepted' | 'baseline' | 'unfixable'>): boolean {
  return excepted === null && !baseline && !unfixable;
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

/** Exceptions of the configuration: findings that do not count, with a reason. */

/** An exception of the configuration. */
export interface Exception {
  rule: string;
  /** A glob; null for any app, and for findings that are not about an app. */
  app: string | null;
  /** Null for any version. */
  version: VersionRange | null;
  /** A glob; null for any URL. */
  url: string | null;
  /** The fingerprint of a secret; null for any, and for other rules. */
  secret: string | null;
  reason: string;
  /** The last day on which it applies, YYYY-MM-DD in UTC; null for no end. */
  until: string | null;
  issue: string | null;
}

/** The exceptions of a configuration, and where they are. */
export interface ExceptionList {
  entries: readonly Exception[];
  /** The configuration, for the positions of findings about an exception; null if it is not a file. */
  document: DocumentFacts | null;
  /** JSON Pointer to the list in that document. */
  pointer: string;
  /** The position of a value in that document, for one that is not JSON; absent for one that is. */
  positionOf?(pointer: string): InputPosition;
}
