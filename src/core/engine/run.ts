import { redact } from '../text/text.ts';
import { VERSION } from '../values/tool-version.ts';
import { isExplained, type LeftOut } from './comparison.ts';
import { CoverageRecord } from './coverage.ts';
import { FindingCollector, type FindingHooks } from './findings.ts';
import { NotJudgedRecord } from './not-judged.ts';
import { inReportOrder } from '../findings/order.ts';
import { compareText } from '../text/order.ts';
import {
  type AppVerdict,
  type CheckCommand,
  counts,
  type Exception,
  type Finding,
  type Outcome,
  type Report,
  type Summary,
  SYMPTOMS,
} from '../findings/report.ts';
import { type Marking, markFindings } from './mark-findings.ts';
import type { SeverityOverrides } from './settings.ts';
import { SymptomRecord } from './symptoms.ts';
import { HidingFindings } from './visibility.ts';
import type { AnyRule } from '../rules/rule.ts';
import type { SubjectLocation } from './location.ts';

/** Everything that is collected in one run. */
export interface JudgingRun {
  readonly overrides: SeverityOverrides;
  readonly findings: FindingCollector;
  readonly notJudged: NotJudgedRecord;
  readonly symptoms: SymptomRecord;
  readonly hiding: HidingFindings;
  readonly coverage: CoverageRecord;
  /** Null without exceptions. */
  readonly evaluated: EvaluatedRules | null;
  readonly totals: Totals;
  readonly verdicts: AppVerdict[];
  /** Requested comparisons that were not made. */
  readonly leftOut: LeftOut[];
}

/** What was judged so far. */
interface Totals {
  versions: number;
  artifacts: number;
  bytes: number;
  /** Apps with a verdict that the manifest does not list. */
  unlistedApps: number;
}

/** The state of a new run. */
export function openRun(
  overrides: SeverityOverrides,
  options: FindingHooks & { omitsReuseTimes?: boolean } = {},
  evaluated: EvaluatedRules | null = null,
): JudgingRun {
  const symptoms = new SymptomRecord();
  const hiding = new HidingFindings();
  const notJudged = new NotJudgedRecord(overrides, symptoms, hiding);
  return {
    overrides,
    symptoms,
    hiding,
    notJudged,
    findings: new FindingCollector(overrides, { symptoms, hiding, notJudged }, options),
    coverage: new CoverageRecord(notJudged, symptoms, options.omitsReuseTimes ?? false),
    evaluated,
    totals: { versions: 0, artifacts: 0, bytes: 0, unlistedApps: 0 },
    verdicts: [],
    leftOut: [],
  };
}

/** What a report states about the run itself. */
interface RunInfo {
  command: CheckCommand;
  target: string;
  seconds: number;
  /** What makes findings not count. */
  marking: Marking;
}

/**
 * Completes what a run collected; call it once, after everything was judged except the exceptions.
 * @param incomplete why the run did not observe everything, or null
 */
export function completeRun(run: JudgingRun, incomplete: string | null): void {
  run.findings.releaseDeferred();
  run.notJudged.listFurther();
  run.coverage.finish();
  if (incomplete === null) return;
  run.notJudged.addIncomplete(incomplete);
  // A symptom that was not examined is not clear.
  run.symptoms.markUnknown(...SYMPTOMS);
}

/** The report of a completed run. */
export function reportOf(run: JudgingRun, info: RunInfo): Report {
  const findings = markFindings(run.findings.findings.toSorted(inReportOrder), info.marking);
  for (const left of run.leftOut) if (!isExplained(left, findings)) run.notJudged.addLeftOut(left);
  const apps = run.verdicts.toSorted((a, b) => compareText(a.key, b.key));
  // If it is not known whether an app is visible, the symptom is not clear.
  if (apps.some(({ visible }) => visible === null)) run.symptoms.markUnknown('app-does-not-appear');
  return {
    schema: 1,
    tool: { name: 'appreg', version: VERSION },
    command: info.command,
    target: redact(info.target),
    outcome: outcomeOf(run, findings),
    summary: summaryOf(run, findings, info),
    symptoms: run.symptoms.statuses(apps.flatMap((app) => (app.visible === false ? app.because : []))),
    apps,
    findings,
    notJudged: [...run.notJudged.entries],
  };
}

function outcomeOf({ notJudged }: JudgingRun, findings: readonly Finding[]): Outcome {
  if (notJudged.isIncomplete) return 'incomplete';
  return findings.some(counts) ? 'findings' : 'clean';
}

const PLURAL = { error: 'errors', warning: 'warnings', note: 'notes' } as const;

function summaryOf(run: JudgingRun, findings: readonly Finding[], { seconds }: RunInfo): Summary {
  const { versions, artifacts, bytes, unlistedApps } = run.totals;
  return {
    ...findingCounts(findings),
    notJudged: run.notJudged.entries.length,
    apps: run.verdicts.length - unlistedApps,
    versions,
    artifacts,
    bytes,
    seconds,
  };
}

/** The numbers of findings in a summary. */
export function findingCounts(
  findings: readonly Finding[],
): Pick<Summary, 'errors' | 'warnings' | 'notes' | 'excepted'> {
  const numbers = { errors: 0, warnings: 0, notes: 0, excepted: 0 };
  for (const finding of findings) numbers[counts(finding) ? PLURAL[finding.severity] : 'excepted']++;
  return numbers;
}

/** The rules of exceptions, and the apps that they were evaluated on; null for what is not about one app. */
export class EvaluatedRules {
  readonly #apps = new Map<string, Set<string | null>>();

  constructor(exceptions: readonly Exception[]) {
    for (const { rule } of exceptions) this.#apps.set(rule, new Set());
  }

  /** Records that a rule was evaluated. */
  note({ id, workspaceOnly }: AnyRule, { app, file }: SubjectLocation): void {
    if (!workspaceOnly || file !== null) this.#apps.get(id)?.add(app);
  }

  /** @param app null: on anything */
  has(rule: string, app: string | null): boolean {
    const apps = this.#apps.get(rule);
    if (apps === undefined) return false;
    return app === null ? apps.size > 0 : apps.has(app) || apps.has(null);
  }
}
