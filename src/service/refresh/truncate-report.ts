import { notJudgedEntry } from '../../core/engine/not-judged.ts';
import { type Finding, type Report, SEVERITIES } from '../../core/engine/report.ts';

/** Maximum findings, apps and notes kept of a report, to limit the database size. */
const FINDINGS_LIMIT = 2000;
const LIST_LIMIT = 5000;

const severityRank = (finding: Finding): number => SEVERITIES.indexOf(finding.severity);

/** A report of limited size. Its counts remain those of the whole report. */
export function truncateReport(report: Report): Report {
  const { findings, apps, notJudged } = report;
  if (findings.length <= FINDINGS_LIMIT && apps.length <= LIST_LIMIT && notJudged.length <= LIST_LIMIT) return report;
  const kept = new Set(findings.toSorted((a, b) => severityRank(a) - severityRank(b)).slice(0, FINDINGS_LIMIT));
  const omitted = findings.length - kept.size;
  return {
    ...report,
    findings: findings.filter((finding) => kept.has(finding)),
    apps: apps.slice(0, LIST_LIMIT),
    notJudged: [
      ...notJudged.slice(0, LIST_LIMIT),
      ...(omitted === 0 ? [] : [notJudgedEntry('*', {}, { code: 'findings-truncated', count: omitted })]),
    ],
  };
}
