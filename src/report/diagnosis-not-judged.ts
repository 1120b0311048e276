import { counted } from '../core/text/text.ts';
import type { Report, Symptom } from '../core/engine/report.ts';
import { SYMPTOM_OF_KIND } from '../core/engine/report.ts';
import type { ResourceKind } from '../core/facts/facts.ts';
import { blockedBy, type NotJudgedCode } from '../core/facts/missing.ts';
import { rules } from '../core/rules/index.ts';
import { reasonInWords, ruleTitle } from '../core/rules/lookup.ts';
import { isFailure } from './incomplete.ts';

/** What a diagnosis says about rules that were not judged: by symptom, and in all. */

const SYMPTOM_OF_RULE = new Map(rules.map((rule) => [rule.id, rule.symptom]));

/** The symptom of a rule that was not judged, which may depend on the resource; null if it has none. */
function symptomOf(rule: string, resource: ResourceKind | null): Symptom | null {
  const symptom = SYMPTOM_OF_RULE.get(rule) ?? null;
  if (symptom !== 'by-resource') return symptom;
  return resource === null ? null : SYMPTOM_OF_KIND[resource];
}

const CHECKSUM_RULE = 'artifact-checksum-mismatch';

/** The rule whose finding prevents a check, by the reason that the report has for that. */
const BLOCKER_BY_REASON = new Map(rules.map(({ id }) => [reasonInWords(blockedBy(id).missing), id]));

/** A reason without the id of a rule. */
function withoutId(reason: string): string {
  const blocker = BLOCKER_BY_REASON.get(reason);
  return blocker === undefined ? reason : `because of another finding: ${ruleTitle(blocker)}`;
}

/**
 * Why a symptom could not be judged: two reasons at most.
 * @param page the text is for a page, which names no ids of rules
 */
export function reasonsOf(id: Symptom, report: Report, page = false): string {
  const reasons = new Set<string>();
  const turnedOff = new Set<string>();
  const staleCopy = report.notJudged.find(({ code }) => code === 'stale-copy');
  if (staleCopy !== undefined && id !== 'registry-does-not-refresh') reasons.add(staleCopy.reason);
  for (const entry of report.notJudged) {
    const { rule, resource, reason, code } = entry;
    if (SELF_EXPLANATORY.has(code)) continue;
    const own = symptomOf(rule, resource);
    if (own === id && code === 'turned-off') turnedOff.add(`${page ? ruleTitle(rule) : rule}: ${reason}`);
    else if (isFailure(entry) || own === id) reasons.add(withoutId(reason));
  }
  const shown = [...turnedOff, ...reasons].slice(0, 2);
  const blocked = report.findings.find((finding) => finding.resource === 'manifest' && finding.severity === 'error');
  if (id === 'checksum-mismatch' && report.findings.some((finding) => finding.rule === 'version-not-listed'))
    return 'a version that is not listed has no artifact to check';
  if (shown.length === 0 && blocked === undefined) return 'no check that could show it was made';
  if (shown.length === 0 && blocked !== undefined) return withoutId(reasonInWords(blockedBy(blocked.rule).missing));
  const { artifacts } = report.summary;
  const isHashed = !report.notJudged.some((entry) => entry.rule === CHECKSUM_RULE && entry.code === 'turned-off');
  const matching =
    id === 'checksum-mismatch' && artifacts > 0 && isHashed
      ? `; ${counted(artifacts, 'artifact')} with a matching checksum`
      : '';
  return `${shown.join('; ')}${matching}`;
}

/** Reasons that need no explanation: what was not requested, and what is checked for a single file only. */
const SELF_EXPLANATORY: ReadonlySet<NotJudgedCode> = new Set([
  'no-baseline',
  'once-per-host',
  'version-not-requested',
  'content-not-scanned',
]);

/** What is shown only with --verbose: the finding that blocks a check, or the age of a copy, is reported elsewhere. */
const DETAILS: ReadonlySet<NotJudgedCode> = new Set([...SELF_EXPLANATORY, 'blocked-by', 'stale-copy']);

/** Why something was not observed. */
export interface NotChecked {
  /** In words, without ids of rules. */
  reason: string;
  /** The rule whose finding prevents the checks; null for another reason. */
  rule: string | null;
  checks: number;
}

/** The reasons for a page, starting with what prevented most checks. */
export function notCheckedOnPage(report: Report): NotChecked[] {
  return reasonCounts(report, true).map(([reason, checks]) => ({
    reason: withoutId(reason),
    rule: BLOCKER_BY_REASON.get(reason) ?? null,
    checks,
  }));
}

/** Why something was not observed, starting with what prevented most checks. */
export function notChecked(report: Report, verbose: boolean): string[] {
  return reasonCounts(report, verbose).map(([reason, checks]) =>
    checks === 1 ? reason : `${reason} (${counted(checks, 'check')})`,
  );
}

function reasonCounts(report: Report, verbose: boolean): [reason: string, checks: number][] {
  const reasons = new Map<string, number>();
  for (const entry of report.notJudged) {
    if (!verbose && DETAILS.has(entry.code)) continue;
    const { reason } = entry;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return [...reasons].toSorted((a, b) => b[1] - a[1]).slice(0, verbose ? 20 : 3);
}
