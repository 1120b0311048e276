import type { Report, Severity } from '../core/engine/report.ts';
import { printable, safeJson, shorten } from '../core/text/text.ts';
import { fingerprints, fnv1a } from './fingerprint.ts';
import type { RenderOptions } from './options.ts';
import { failures } from './run.ts';
import { hostAndPath, locationOf } from './location.ts';

interface Violation {
  description: string;
  check_name: string;
  fingerprint: string;
  severity: 'info' | 'minor' | 'major' | 'critical' | 'blocker';
  location: { path: string; lines: { begin: number } };
}

const SEVERITY: Record<Severity, Violation['severity']> = { error: 'major', warning: 'minor', note: 'info' };

/** A GitLab Code Quality report. An incomplete run has an entry too, since an empty list would mean no findings. */
export function gitlab(report: Report, { folder }: Pick<RenderOptions, 'folder'>): string {
  const prints = fingerprints(report.findings);
  const violations: Violation[] = report.findings.map((finding, i) => {
    const { path, url, line, about } = locationOf(finding, report, folder);
    const names = [finding.app, finding.version].filter((x) => x !== null).map((x) => shorten(printable(x), 80));
    const before = names.length === 0 ? '' : `${names.join(' ')}: `;
    const behind = about === null ? '' : ` (${printable(about)})`;
    return {
      description: `${before}${printable(finding.message)} ${printable(finding.advice)}${behind}`,
      check_name: finding.rule,
      fingerprint: prints[i]!,
      severity: SEVERITY[finding.severity],
      location: at(path ?? hostAndPath(url ?? ''), line),
    };
  });
  if (report.outcome === 'incomplete') violations.unshift(unfinished(report));
  return safeJson(violations);
}

function unfinished({ command, target, notJudged }: Report): Violation {
  const [why = 'a rule failed'] = failures(notJudged);
  return {
    description: `appreg ${command} is incomplete: ${printable(why)}`,
    check_name: 'incomplete',
    fingerprint: fnv1a(JSON.stringify(['incomplete', command, target])),
    severity: 'blocker',
    location: at(hostAndPath(target), null),
  };
}

function at(path: string, line: number | null): Violation['location'] {
  return { path: printable(path), lines: { begin: line ?? 1 } };
}
