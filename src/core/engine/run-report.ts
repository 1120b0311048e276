import { redact } from '../text/text.ts';
import { VERSION } from '../values/tool-version.ts';
import { isExplained } from './comparison.ts';
import type { RunRecord } from './record.ts';
import { inReportOrder } from '../findings/order.ts';
import { compareText } from '../text/order.ts';
import {
  type CheckCommand,
  isCountedFinding,
  type Finding,
  type Outcome,
  type Report,
  type Summary,
} from '../findings/report.ts';
import { withFingerprints } from '../findings/fingerprint.ts';
import { resolvedFindings } from './judge-exceptions.ts';
import { markFindings } from './mark-findings.ts';
import type { Run } from './run.ts';

/** Parts of a report about the run itself. */
interface RunInfo {
  command: CheckCommand;
  target: string;
  seconds: number;
}

export function reportOf(whole: Run, info: RunInfo): Report {
  const { record: run, settings } = whole;
  const { registry, known } = settings;
  const found = withFingerprints(run.findings.toSorted(inReportOrder), registry);
  const findings = markFindings(found, { exceptions: settings.exceptions?.entries ?? [], known, now: settings.now });
  for (const left of run.leftOut) if (!isExplained(left, findings)) run.notJudged.addLeftOut(left);
  const apps = run.verdicts.toSorted((a, b) => compareText(a.key, b.key));
  // If it is not known whether an app is visible, the symptom is not clear.
  if (apps.some(({ visible }) => visible === null)) run.symptoms.markUnknown('app-does-not-appear');
  return {
    schema: 1,
    tool: { name: 'appreg', version: VERSION },
    command: info.command,
    target: redact(info.target),
    registries: [registry.identity],
    outcome: outcomeOf(run, findings),
    summary: summaryOf(run, findings, info),
    symptoms: run.symptoms.statuses(apps.flatMap((app) => (app.visible === false ? app.because : []))),
    apps,
    findings,
    resolved: resolvedFindings(whole, known, findings),
    notJudged: [...run.notJudged.entries],
  };
}

function outcomeOf({ notJudged }: RunRecord, findings: readonly Finding[]): Outcome {
  if (notJudged.isIncomplete) return 'incomplete';
  return findings.some(isCountedFinding) ? 'findings' : 'clean';
}

const PLURAL = { error: 'errors', warning: 'warnings', note: 'notes' } as const;

function summaryOf(run: RunRecord, findings: readonly Finding[], { seconds }: RunInfo): Summary {
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
): Pick<Summary, 'errors' | 'warnings' | 'notes' | 'excepted' | 'unfixable'> {
  const numbers = { errors: 0, warnings: 0, notes: 0, excepted: 0, unfixable: 0 };
  for (const finding of findings) {
    if (isCountedFinding(finding)) numbers[PLURAL[finding.severity]]++;
    else numbers[finding.unfixable && finding.excepted === null ? 'unfixable' : 'excepted']++;
  }
  return numbers;
}
