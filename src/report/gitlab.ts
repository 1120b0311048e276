import { isCountedFinding, type Report } from '../core/findings/report.ts';
import { type Severity } from '../core/values/severity.ts';
import { printable, printableExcerpt, safeJson } from '../core/text/text.ts';
import { fnv1a } from '../core/findings/fingerprint.ts';
import type { RenderOptions } from './options.ts';
import { failureReasons } from './report-text.ts';
import { hostAndPath, locationOf } from './location.ts';

interface Violation {
  description: string;
  check_name: string;
  fingerprint: string;
  severity: 'info' | 'minor' | 'major' | 'critical' | 'blocker';
  location: { path: string; lines: { begin: number } };
}

const SEVERITY: Record<Severity, Violation['severity']> = { error: 'major', warning: 'minor', note: 'info' };

/**
 * A GitLab Code Quality report of the findings that count. An incomplete run has an entry as well, since an empty list
 * would mean no findings.
 */
export function gitlab(report: Report, { folder }: Pick<RenderOptions, 'folder'>): string {
  const found = report.findings.filter(isCountedFinding);
  const violations: Violation[] = found.map((finding) => {
    const { path, url, line, about } = locationOf(finding, report, folder);
    const names = [finding.app, finding.version]
      .filter((name) => name !== null)
      .map((name) => printableExcerpt(name, 80));
    const prefix = names.length === 0 ? '' : `${names.join(' ')}: `;
    const suffix = about === null ? '' : ` (${printable(about)})`;
    return {
      description: `${prefix}${printable(finding.message)} ${printable(finding.advice)}${suffix}`,
      check_name: finding.rule,
      fingerprint: finding.fingerprint,
      severity: SEVERITY[finding.severity],
      location: violationLocation(path ?? hostAndPath(url ?? ''), line),
    };
  });
  if (report.outcome === 'incomplete') violations.unshift(incompleteRun(report));
  return safeJson(violations);
}

function incompleteRun({ command, target, notJudged }: Report): Violation {
  const [reason = 'a rule failed'] = failureReasons(notJudged);
  return {
    description: `appreg ${command} is incomplete: ${printable(reason)}`,
    check_name: 'incomplete',
    fingerprint: fnv1a(JSON.stringify(['incomplete', command, target])),
    severity: 'blocker',
    location: violationLocation(hostAndPath(target), null),
  };
}

function violationLocation(path: string, line: number | null): Violation['location'] {
  return { path: printable(path), lines: { begin: line ?? 1 } };
}
