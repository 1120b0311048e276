import type { Diagnosis } from '../core/engine/diagnosis.ts';
import type { Finding, Report, Symptom, SymptomStatus } from '../core/findings/report.ts';
import { ruleById } from '../core/rules/lookup.ts';
import { counted } from '../core/text/text.ts';
import { causesOf } from './diagnosis-causes.ts';
import type { SymptomView, View, ViewOptions } from './diagnosis-evidence.ts';
import { appLines, closingOf, nextOf } from './diagnosis-next.ts';
import { notChecked, reasonsOf } from './diagnosis-not-judged.ts';
import { symptomName } from './words.ts';

/** A diagnosis as text, independent of layout: the causes of each symptom, and the closing lines. */

export function viewOf(report: Report, diagnosis: Diagnosis, options: ViewOptions): View {
  const { verbose } = options;
  const { symptoms, withoutSymptom } = symptomsOf(report, options);
  return {
    symptoms,
    withoutSymptom,
    apps: [...appLines(report, diagnosis, verbose), ...retirementLines(diagnosis, verbose)],
    next: nextOf(report, symptoms, diagnosis),
    notChecked: notChecked(report, verbose),
    closing: closingOf(report, diagnosis),
  };
}

/** The part derived from the report only: each symptom with its causes, and the findings that belong to none. */
export function symptomsOf(report: Report, options: ViewOptions): Pick<View, 'symptoms' | 'withoutSymptom'> {
  const shown = options.verbose ? report.findings : report.findings.filter(isShown);
  // A symptom that is clear has no causes: notes about it are listed elsewhere.
  const clear = new Set(report.symptoms.filter(({ status }) => status === 'clear').map(({ id }) => id));
  const isElsewhere = ({ symptom }: Finding): boolean => symptom === null || clear.has(symptom);
  const others = causesOf(shown.filter(isElsewhere), options);
  return {
    symptoms: report.symptoms.map((symptom) =>
      symptomView(
        symptom,
        report,
        shown.filter((finding) => !isElsewhere(finding)),
        options,
      ),
    ),
    withoutSymptom:
      others.causes.length === 0 ? null : { title: 'Other findings', status: 'clear', summary: null, ...others },
  };
}

/** Notes about the service, and about what is stored and not served, answer what was asked; others need --verbose. */
function isShown({ severity, rule }: Finding): boolean {
  const subject = ruleById(rule)?.on;
  return severity !== 'note' || subject === 'subscription' || subject === 'deployment';
}

function symptomView(
  { id, status }: SymptomStatus,
  report: Report,
  findings: readonly Finding[],
  options: ViewOptions,
): SymptomView {
  const { causes, remarks } = causesOf(
    findings.filter((finding) => finding.symptom === id),
    options,
  );
  let summary: string | null = null;
  if (status === 'clear') summary = checkedOf(id, report, options);
  if (status === 'not-judged') summary = reasonsOf(id, report, options.page);
  if (id === 'app-does-not-appear' && status === 'confirmed') {
    const reported = new Set(findings.filter((finding) => finding.symptom === id).map((finding) => finding.rule));
    const elsewhere = report.apps.filter(
      (app) => app.visible === false && !app.because.some((rule) => reported.has(rule)),
    );
    if (elsewhere.length > 0)
      remarks.push(`${counted(elsewhere.length, 'app')} hidden by problems listed under other symptoms.`);
  }
  return { title: symptomName(id), status, summary, causes, remarks };
}

/** The checked subjects of a symptom without causes. */
function checkedOf(
  id: Symptom,
  { summary, symptoms, findings, target }: Report,
  { verbose, page }: ViewOptions,
): string {
  const notes =
    !verbose && page !== true && findings.some((finding) => finding.symptom === id && !isExpectedNote(finding));
  const areArtifactsClear = symptoms.some((one) => one.id === 'checksum-mismatch' && one.status === 'clear');
  const passed = { reachable: /^http:/i.test(target) ? 'reachable' : 'reachable over HTTPS', areArtifactsClear };
  return `${passedChecks(id, summary, passed)}${notes ? '; there are notes: --verbose' : ''}`;
}

interface Passed {
  /** The way in which documents are reachable. */
  reachable: string;
  /** False if an artifact of some version is faulty, or was not examined. */
  areArtifactsClear: boolean;
}

function passedChecks(
  id: Symptom,
  { apps, artifacts }: Report['summary'],
  { reachable, areArtifactsClear }: Passed,
): string {
  switch (id) {
    case 'registry-does-not-refresh':
      return `the manifest is ${reachable}, valid, readable by browsers, not cached for long`;
    case 'checksum-mismatch':
      return artifacts === 0
        ? 'there are no artifacts to download'
        : `${counted(artifacts, 'artifact')} downloaded and hashed: the SHA-256 matches`;
    case 'icon-does-not-display':
      return apps === 0 ? 'no app is listed' : `${reachable}, readable by browsers, PNG or SVG`;
    case 'app-does-not-appear':
      if (apps === 0) return 'no app is listed';
      return `keys URL-safe, metadata files reachable, versions valid and ${areArtifactsClear ? 'their artifacts verified' : 'the artifact of one of each app verified, at least'}`;
  }
}

/** Notes without new information: every origin is allowed, and the user's own --ca. */
function isExpectedNote({ rule, cause, evidence }: Finding): boolean {
  return (
    rule === 'cors-wildcard' || (rule === 'tls-untrusted' && cause === 'private-ca' && evidence['authority'] === '--ca')
  );
}

/** Versions that are listed and retired are shown up to this number, and with --verbose up to the second one. */
const MOST = 5;
const MOST_VERBOSE = 200;

/** Which versions their authors retired, a line each. A retirement is not an error of the registry. */
export function retirementLines({ retired = [] }: Diagnosis, verbose: boolean): string[] {
  const most = verbose ? MOST_VERBOSE : MOST;
  const lines = retired.slice(0, most).map(({ app, version, reason, use }) => {
    const advice = use === null ? 'it names no replacement' : `use ${use}`;
    return `${app}: ${version} is listed; its author retired it (${reason}); ${advice}`;
  });
  const rest = retired.length - lines.length;
  return rest === 0 ? lines : [...lines, `… and ${counted(rest, 'more retired version')}`];
}
