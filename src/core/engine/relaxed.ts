import { notJudgedEntry } from './not-judged.ts';
import { isCountedFinding, type Finding, type Report } from '../findings/report.ts';

/** Findings that a change of the settings hides: a change must not turn off the rule that it breaks without a word. */

/**
 * The findings that other settings would count, and that a report of the same facts does not count, or as less severe;
 * notes are left out.
 * @param other the report with the other settings
 */
export function relaxedFindings(report: Report, other: Report): Finding[] {
  const known = new Map(
    report.findings.filter(isCountedFinding).map(({ fingerprint, severity }) => [fingerprint, severity]),
  );
  return other.findings.flatMap((finding) => {
    // It is about the settings themselves.
    if (!isCountedFinding(finding) || finding.severity === 'note' || finding.rule === 'exception-unused') return [];
    const severity = known.get(finding.fingerprint);
    const isKept = severity === 'error' || severity === finding.severity;
    return isKept ? [] : [finding];
  });
}

/** The report with an entry for each of those findings. @param source of the other settings */
export function withRelaxed(report: Report, findings: readonly Finding[], source: string): Report {
  const entries = findings.map(({ rule, app, version, resource, severity }) =>
    notJudgedEntry(
      rule,
      { app, version, resource },
      { code: 'settings-relaxed', source, severity: severity === 'error' ? 'error' : 'warning' },
    ),
  );
  const { summary } = report;
  return {
    ...report,
    summary: { ...summary, notJudged: summary.notJudged + entries.length },
    notJudged: [...report.notJudged, ...entries],
  };
}
