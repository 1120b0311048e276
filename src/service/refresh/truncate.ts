import { notJudgedEntry } from '../../core/engine/not-judged.ts';
import { type Finding, type Report, SEVERITIES } from '../../core/engine/report.ts';
import { isMissing } from '../../core/facts/facts.ts';
import type { RememberedApp } from '../../observe/registry/cache/observation-cache.ts';

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

/** The cached facts of two dozen apps must fit into memory at once, for any archive content. */
const BYTES_LIMIT = 4_000_000;
const BYTES_PER_ARTIFACT = 1500;
const BYTES_PER_ENTRY = 130;

/** Omits the artifacts whose facts are too large; their rows still record them as verified. */
export function truncateFacts({ ids, facts }: RememberedApp): RememberedApp {
  let bytes = 0;
  const isKept = facts.artifacts.map(({ archive }) => {
    const size = BYTES_PER_ARTIFACT + (isMissing(archive) ? 0 : archive.entries.length * BYTES_PER_ENTRY);
    if (bytes + size > BYTES_LIMIT) return false;
    bytes += size;
    return true;
  });
  return isKept.every(Boolean)
    ? { ids, facts }
    : {
        ids: ids.filter((_, i) => isKept[i]),
        facts: { ...facts, artifacts: facts.artifacts.filter((_, i) => isKept[i]) },
      };
}
