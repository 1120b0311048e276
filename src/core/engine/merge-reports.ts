import { inReportOrder } from '../findings/order.ts';
import { compareText } from '../text/order.ts';
import {
  isCountedFinding,
  type Finding,
  type KnownFinding,
  type NotJudged,
  type Outcome,
  type Report,
  type Summary,
  type SymptomStatus,
} from '../findings/report.ts';
import { type Severity, SEVERITIES } from '../values/severity.ts';
import { ruleById } from '../rules/lookup.ts';
import { findingCounts } from './run-report.ts';

/**
 * One report about several registries. Each of them is judged by itself, with its own settings and baseline: apps of
 * different registries can have the same key.
 */

/** The report of one registry, or of one of its files. */
export interface PartReport {
  report: Report;
  severities: Readonly<Record<string, Severity | 'off'>>;
  /** The configuration that it was judged with, absolute; null without one. */
  config: string | null;
  judgesExceptions: boolean;
}

/** The report about all parts, and the highest severity of each rule. */
export function mergeReports(parts: readonly [PartReport, ...PartReport[]]): Pick<PartReport, 'report' | 'severities'> {
  const reports = parts.map(({ report }) => report);
  const findings = findingsOf(parts);
  const notJudged = notJudgedOf(reports);
  const report: Report = {
    ...parts[0].report,
    outcome: outcomeOf(reports, findings),
    summary: summaryOf(reports, findings, notJudged),
    symptoms: symptomsOf(reports),
    apps: reports.flatMap(({ apps }) => apps).toSorted((a, b) => compareText(a.key, b.key)),
    findings,
    registries: [...new Set(reports.flatMap(({ registries }) => registries))].sort(),
    resolved: resolvedOf(reports, findings),
    notJudged,
  };
  return { report, severities: severitiesOf(parts) };
}

/** An exception is only unused if no registry with that configuration has a finding that it matches. */
function findingsOf(parts: readonly PartReport[]): Finding[] {
  const unused = new Map<string, { config: string | null; findings: Finding[] }>();
  const found = parts.flatMap(({ report, config }) =>
    report.findings.filter((finding) => {
      if (finding.rule !== 'exception-unused') return true;
      const place = `${config} ${finding.pointer}`;
      const known = unused.get(place);
      if (known === undefined) unused.set(place, { config, findings: [finding] });
      else known.findings.push(finding);
      return false;
    }),
  );
  for (const { config, findings } of unused.values()) {
    const judging = parts.filter((part) => part.judgesExceptions && part.config === config);
    const [first] = findings;
    if (first !== undefined && findings.length === judging.length) found.push(first);
  }
  return found.toSorted(inReportOrder);
}

/** Two paths of one registry may judge different parts of it. */
function resolvedOf(reports: readonly Report[], findings: readonly Finding[]): KnownFinding[] {
  const occurring = new Set(findings.map(({ fingerprint }) => fingerprint));
  const resolved = reports.flatMap((report) => report.resolved);
  const byFingerprint = new Map(resolved.map((finding) => [finding.fingerprint, finding]));
  return [...byFingerprint.values()].filter(({ fingerprint }) => !occurring.has(fingerprint));
}

/** Lists entries about a whole run once. */
function notJudgedOf(reports: readonly Report[]): NotJudged[] {
  const listed = new Set<string>();
  return reports
    .flatMap(({ notJudged }) => notJudged)
    .filter((entry) => {
      if (entry.app !== null || entry.version !== null || entry.count !== null) return true;
      const text = JSON.stringify(entry);
      if (listed.has(text)) return false;
      listed.add(text);
      return true;
    });
}

function outcomeOf(reports: readonly Report[], findings: readonly Finding[]): Outcome {
  if (reports.some(({ outcome }) => outcome === 'incomplete')) return 'incomplete';
  return findings.some(isCountedFinding) ? 'findings' : 'clean';
}

function summaryOf(reports: readonly Report[], findings: readonly Finding[], notJudged: readonly NotJudged[]): Summary {
  const sum = (field: 'apps' | 'versions' | 'artifacts' | 'bytes'): number =>
    reports.reduce((total, { summary }) => total + summary[field], 0);
  return {
    ...findingCounts(findings),
    notJudged: notJudged.length,
    apps: sum('apps'),
    versions: sum('versions'),
    artifacts: sum('artifacts'),
    bytes: sum('bytes'),
    seconds: Math.max(...reports.map(({ summary: { seconds } }) => seconds)),
  };
}

const BY_STATUS: readonly SymptomStatus['status'][] = ['confirmed', 'suspected', 'not-judged', 'clear'];

/** Each symptom as it is in the registry where it is worst. */
function symptomsOf([first, ...others]: readonly Report[]): SymptomStatus[] {
  return (first?.symptoms ?? []).map((symptom, index) => {
    const all = [symptom, ...others.flatMap(({ symptoms }) => symptoms[index] ?? [])];
    const status = BY_STATUS.find((one) => all.some((other) => other.status === one)) ?? symptom.status;
    return { id: symptom.id, status, rules: [...new Set(all.flatMap(({ rules }) => rules))].sort() };
  });
}

function severitiesOf(parts: readonly PartReport[]): Record<string, Severity | 'off'> {
  const merged: Record<string, Severity | 'off'> = {};
  for (const id of new Set(parts.flatMap(({ severities }) => Object.keys(severities)))) {
    const levels = parts.map(({ severities }) => severities[id] ?? ruleById(id)?.severity ?? 'off');
    merged[id] = SEVERITIES.find((severity) => levels.includes(severity)) ?? 'off';
  }
  return merged;
}
