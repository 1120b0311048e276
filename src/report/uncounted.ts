import { counts, type Finding } from '../core/engine/report.ts';
import { grouped } from '../core/text/text.ts';

/** Findings that do not count, as worded by all reporters. */

export interface SplitFindings {
  counting: Finding[];
  uncounted: Finding[];
}

/** The findings that count, and those that do not; each in the given order. */
export function splitByCounting(findings: readonly Finding[]): SplitFindings {
  return { counting: findings.filter(counts), uncounted: findings.filter((finding) => !counts(finding)) };
}

/** `3 excepted, 12 in the baseline`; '' if all findings count. */
export function uncountedNumbers(findings: readonly Finding[]): string {
  const excepted = findings.filter((finding) => finding.excepted !== null).length;
  const known = findings.filter((finding) => finding.excepted === null && finding.baseline).length;
  return [
    ...(excepted > 0 ? [`${grouped(excepted)} excepted`] : []),
    ...(known > 0 ? [`${grouped(known)} in the baseline`] : []),
  ].join(', ');
}

/** Why a finding does not count: `excepted until 2027-03-01: The host is moving.`; '' if it counts. Not escaped. */
export function whyUncounted({ excepted, baseline }: Pick<Finding, 'excepted' | 'baseline'>): string {
  if (excepted === null) return baseline ? 'in the baseline' : '';
  const { reason, until, issue } = excepted;
  return `excepted${until === null ? '' : ` until ${until}`}: ${reason}${issue === null ? '' : ` (${issue})`}`;
}
