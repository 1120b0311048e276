import { notJudgedEntry } from '../../core/engine/not-judged.ts';
import { type Finding, type Report, SEVERITIES } from '../../core/engine/report.ts';

/** Maximum findings, apps and notes kept of a report, to limit the database size. */
const FINDINGS = 2000;
const REST = 5000;

const grave = (finding: Finding): number => SEVERITIES.indexOf(finding.severity);

/** A report of limited size. Its counts remain those of the whole report. */
export function truncateReport(report: Report): Report {
  const { findings, apps, notJudged } = report;
  if (findings.length <= FINDINGS && apps.length <= REST && notJudged.length <= REST) return report;
  const kept = new Set(findings.toSorted((a, b) => grave(a) - grave(b)).slice(0, FINDINGS));
  const left = findings.length - kept.size;
  return {
    ...report,
    findings: findings.filter((finding) => kept.has(finding)),
    apps: apps.slice(0, REST),
    notJudged: [
      ...notJudged.slice(0, REST),
      ...(left === 0 ? [] : [notJudgedEntry('*', {}, { code: 'findings-truncated', count: left })]),
    ],
  };
}
