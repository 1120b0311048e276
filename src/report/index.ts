import type { Diagnosis } from '../core/engine/diagnosis.ts';
import { isCountedFinding, type Finding, type Report } from '../core/findings/report.ts';
import { printable, safeJson } from '../core/text/text.ts';
import { prettyDiagnosis } from './diagnosis.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { junit } from './junit.ts';
import { markdown } from './markdown.ts';
import { type CheckFormat, DEFAULTS, type RenderOptions } from './options.ts';
import { pretty } from './pretty.ts';
import { sarif } from './sarif.ts';
import { markdownDiagnosis } from './ticket.ts';

type Reporter = (report: Report, options: RenderOptions) => string;
type Diagnoser = (report: Report, diagnosis: Diagnosis, options: RenderOptions) => string;

const REPORTERS: Record<CheckFormat, Reporter> = { pretty, json, sarif, junit, github, gitlab, markdown };
/** Reporters by symptom, if a diagnosis was requested. */
const DIAGNOSERS: Partial<Record<CheckFormat, Diagnoser>> = { pretty: prettyDiagnosis, markdown: markdownDiagnosis };

/** A report as text; pure. */
export function render(report: Report, format: CheckFormat, options: Partial<RenderOptions> = {}): string {
  const all = { ...DEFAULTS, ...options };
  const { diagnosis } = all;
  const diagnose = report.command === 'diagnose' ? DIAGNOSERS[format] : undefined;
  return diagnosis !== null && diagnose ? diagnose(report, diagnosis, all) : REPORTERS[format](report, all);
}

/** The report according to schemas/report.schema.json; control characters are written as `\u` escapes. */
export function json(report: Report): string {
  return safeJson(report);
}

/** The command that explains the first finding of the highest severity; null if there are only notes. */
export function explainCommand(findings: readonly Finding[]): string | null {
  const counting = findings.filter(isCountedFinding);
  const first =
    counting.find(({ severity }) => severity === 'error') ?? counting.find(({ severity }) => severity === 'warning');
  return first === undefined ? null : `appreg explain ${printable(first.rule)}`;
}
