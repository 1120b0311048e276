import { counted } from '../core/text/text.ts';
import { type NotJudged, type Report, type Symptom, SYMPTOM_OF_KIND } from '../core/findings/report.ts';
import type { ResourceKind } from '../core/facts/facts.ts';
import type { NotJudgedCode } from '../core/facts/missing.ts';
import { rules } from '../core/rules/index.ts';
import { ruleTitle } from '../core/rules/lookup.ts';
import { isFailure } from './report-text.ts';

/** Reasons of a diagnosis for rules that were not judged: by symptom, and in all. */

const SYMPTOM_OF_RULE = new Map(rules.map((rule) => [rule.id, rule.symptom]));

/** The symptom of a rule that was not judged, which may depend on the resource; null if it has none. */
function symptomOf(rule: string, resource: ResourceKind | null): Symptom | null {
  const symptom = SYMPTOM_OF_RULE.get(rule) ?? null;
  if (symptom !== 'by-resource') return symptom;
  return resource === null ? null : SYMPTOM_OF_KIND[resource];
}

const CHECKSUM_RULE = 'artifact-checksum-mismatch';

/** The reason of an entry, without the id of a rule. */
function reasonWithoutId({ reason, blockedBy }: Pick<NotJudged, 'reason' | 'blockedBy'>): string {
  return blockedBy === null ? reason : becauseOf(blockedBy);
}

function becauseOf(rule: string): string {
  return `because of another finding: ${ruleTitle(rule)}`;
}

/**
 * The reasons why a symptom could not be judged: two reasons at most.
 * @param page the text is for a page, which names no ids of rules
 */
export function reasonsOf(id: Symptom, report: Report, page = false): string {
  const reasons = new Set<string>();
  const turnedOff = new Set<string>();
  const staleCopy = report.notJudged.find(({ code }) => code === 'stale-copy');
  if (staleCopy !== undefined && id !== 'registry-does-not-refresh') reasons.add(staleCopy.reason);
  const unverified = report.apps.filter(({ visible, latest }) => visible === null && latest !== null).length;
  if (id === 'app-does-not-appear' && unverified > 0)
    reasons.add(`no artifact of ${counted(unverified, 'app')} was verified`);
  for (const entry of report.notJudged) {
    const { rule, resource, reason, code } = entry;
    if (SELF_EXPLANATORY.has(code)) continue;
    const own = symptomOf(rule, resource);
    if (own === id && code === 'turned-off') turnedOff.add(`${page ? ruleTitle(rule) : rule}: ${reason}`);
    else if (isFailure(entry) || own === id) reasons.add(reasonWithoutId(entry));
  }
  const shown = [...turnedOff, ...reasons].slice(0, 2);
  const blocked = report.findings.find((finding) => finding.resource === 'manifest' && finding.severity === 'error');
  if (id === 'checksum-mismatch' && report.findings.some((finding) => finding.rule === 'version-not-listed'))
    return 'a version that is not listed has no artifact to check';
  if (shown.length === 0 && blocked === undefined) return 'no check was made that could show it';
  if (shown.length === 0 && blocked !== undefined) return becauseOf(blocked.rule);
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

/** Reasons that only --verbose shows: the finding that blocks a check, or the age of a copy, is reported elsewhere. */
const DETAILS: ReadonlySet<NotJudgedCode> = new Set([...SELF_EXPLANATORY, 'blocked-by', 'stale-copy']);

/** Checks that could not be made, for one reason. */
export interface NotChecked {
  /** In words, without ids of rules. */
  reason: string;
  /** The rule whose finding prevents the checks; null for another reason. */
  rule: string | null;
  checks: number;
}

/** The reasons for a page, starting with what prevented most checks. */
export function notCheckedOnPage(report: Report): NotChecked[] {
  return reasonCounts(report, true).map(({ entry, checks }) => ({
    reason: reasonWithoutId(entry),
    rule: entry.blockedBy,
    checks,
  }));
}

/** Sentences about missing observations, starting with what prevented most checks. */
export function notChecked(report: Report, verbose: boolean): string[] {
  return reasonCounts(report, verbose).map(({ entry: { reason }, checks }) =>
    checks === 1 ? reason : `${reason} (${counted(checks, 'check')})`,
  );
}

/** The number of checks by reason, each with one of the entries that have it. */
function reasonCounts(report: Report, verbose: boolean): { entry: NotJudged; checks: number }[] {
  const reasons = new Map<string, { entry: NotJudged; checks: number }>();
  for (const entry of report.notJudged) {
    if (!verbose && DETAILS.has(entry.code)) continue;
    const known = reasons.get(entry.reason) ?? { entry, checks: 0 };
    known.checks += entry.count ?? 1;
    reasons.set(entry.reason, known);
  }
  return [...reasons.values()].toSorted((a, b) => b.checks - a.checks).slice(0, verbose ? 20 : 3);
}
