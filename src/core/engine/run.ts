import { redact } from '../text/text.ts';
import { VERSION } from '../tool-version.ts';
import { CoverageRecord } from './coverage.ts';
import { FindingCollector, type FindingHooks } from './findings.ts';
import { NotJudgedRecord } from './not-judged.ts';
import { compareText, inReportOrder } from './order.ts';
import {
  type AppVerdict,
  type CheckCommand,
  type Finding,
  type Outcome,
  type Report,
  type Summary,
  SYMPTOMS,
} from './report.ts';
import type { SeverityOverrides } from './settings.ts';
import { SymptomRecord } from './symptoms.ts';
import { HidingFindings } from './visibility.ts';

/** Everything that is collected in one run. */
export interface JudgingRun {
  readonly overrides: SeverityOverrides;
  readonly findings: FindingCollector;
  readonly notJudged: NotJudgedRecord;
  readonly symptoms: SymptomRecord;
  readonly hiding: HidingFindings;
  readonly coverage: CoverageRecord;
  readonly totals: Totals;
  readonly verdicts: AppVerdict[];
}

/** What was judged so far. */
interface Totals {
  versions: number;
  artifacts: number;
  bytes: number;
  /** Apps with a verdict that the manifest does not list. */
  unlistedApps: number;
}

export function openRun(overrides: SeverityOverrides, hooks: FindingHooks = {}): JudgingRun {
  const symptoms = new SymptomRecord();
  const hiding = new HidingFindings();
  const notJudged = new NotJudgedRecord(overrides, symptoms, hiding);
  return {
    overrides,
    symptoms,
    hiding,
    notJudged,
    findings: new FindingCollector(overrides, { symptoms, hiding, notJudged }, hooks),
    coverage: new CoverageRecord(notJudged, symptoms),
    totals: { versions: 0, artifacts: 0, bytes: 0, unlistedApps: 0 },
    verdicts: [],
  };
}

/** What a report states about the run itself. */
export interface RunInfo {
  command: CheckCommand;
  target: string;
  seconds: number;
  /** Why the run did not observe everything, or null. */
  incomplete: string | null;
}

/** The report of a run; call it once, after everything was judged. */
export function reportOf(run: JudgingRun, info: RunInfo): Report {
  run.findings.releaseDeferred();
  run.notJudged.listFurther();
  run.coverage.finish();
  if (info.incomplete !== null) {
    run.notJudged.addIncomplete(info.incomplete);
    // A symptom that was not examined is not clear.
    run.symptoms.leaveOpen(...SYMPTOMS);
  }
  const findings = run.findings.findings.toSorted(inReportOrder);
  const apps = run.verdicts.toSorted((a, b) => compareText(a.key, b.key));
  return {
    schema: 1,
    tool: { name: 'appreg', version: VERSION },
    command: info.command,
    target: redact(info.target),
    outcome: outcomeOf(run, findings, info),
    summary: summaryOf(run, findings, info),
    symptoms: run.symptoms.statuses(apps.flatMap((app) => (app.visible === false ? app.because : []))),
    apps,
    findings,
    notJudged: [...run.notJudged.entries],
  };
}

function outcomeOf(run: JudgingRun, findings: readonly Finding[], { incomplete }: RunInfo): Outcome {
  if (run.notJudged.hasCrashed || incomplete !== null) return 'incomplete';
  return findings.length > 0 ? 'findings' : 'clean';
}

function summaryOf(run: JudgingRun, findings: readonly Finding[], { seconds }: RunInfo): Summary {
  const { versions, artifacts, bytes, unlistedApps } = run.totals;
  const summary: Summary = {
    errors: 0,
    warnings: 0,
    notes: 0,
    notJudged: run.notJudged.entries.length,
    apps: run.verdicts.length - unlistedApps,
    versions,
    artifacts,
    bytes,
    seconds,
  };
  for (const { severity } of findings) summary[`${severity}s`]++;
  return summary;
}
