import type { AttestedVersions } from '../core/attestation/attested-versions.ts';
import {
  type AppVerdict,
  isCountedFinding,
  type Finding,
  type NotJudged,
  type Report,
} from '../core/findings/report.ts';
import { counted, grouped, printableExcerpt } from '../core/text/text.ts';
import type { Style } from './style.ts';
import { elapsedTime, byteSize } from './words.ts';

/** The last line of a report, to quote: the findings, and how much was checked. */
export function summaryLine(report: Report, style: Style): string {
  const { summary } = report;
  const seen = [
    counted(summary.apps, 'app'),
    counted(summary.versions, 'version'),
    ...(summary.artifacts > 0 ? [`${counted(summary.artifacts, 'artifact')} hashed`] : []),
    byteSize(summary.bytes),
    elapsedTime(summary.seconds),
  ].join(', ');
  const found = [
    counted(summary.errors, 'error'),
    counted(summary.warnings, 'warning'),
    ...(summary.notes > 0 ? [counted(summary.notes, 'note')] : []),
  ].join(', ');
  const numbers = uncountedNumbers(report.findings);
  const others = numbers === '' ? '' : `, ${numbers}`;
  if (report.outcome === 'incomplete') return `${style.yellow('Incomplete')}: ${found}${others} so far (${seen})`;
  if (summary.errors > 0) return `${style.red('✗')} ${found}${others} (${seen})`;
  return `${summary.warnings > 0 ? style.yellow('!') : style.green('✓')} ${summary.warnings + summary.notes > 0 ? found : 'No problems'}${others} (${seen})`;
}

/** Texts about a run as a whole, from the `notJudged` of a report. */

/** The reasons why the run observed less than it should have; such a run is incomplete. */
export function failureReasons(entries: readonly NotJudged[]): string[] {
  return entries
    .filter(isFailure)
    .map((entry) => (entry.rule === '*' ? entry.reason : `${entry.rule}: ${countedReason(entry)}`));
}

/** The reason of an entry, with the number of the subjects that it counts. */
export function countedReason({ reason, count }: NotJudged): string {
  return count === null ? reason : `${grouped(count)} more: ${reason}`;
}

/** True for what makes the run incomplete: a failure of the run as a whole, or of a rule. */
export function isFailure({ rule, resource, code }: NotJudged): boolean {
  return (rule === '*' && resource === null) || code === 'rule-crashed';
}

/** True for what was intentionally left to another run or shard, or to an earlier run. */
export function isIntentional({ rule, resource }: NotJudged): boolean {
  return rule === '*' && resource !== null;
}

/** Findings that do not count, as worded by all reporters. */

interface SplitFindings {
  counting: Finding[];
  uncounted: Finding[];
}

/** The findings that count, and those that do not; each in the given order. */
export function splitByCounting(findings: readonly Finding[]): SplitFindings {
  return {
    counting: findings.filter(isCountedFinding),
    uncounted: findings.filter((finding) => !isCountedFinding(finding)),
  };
}

/** `3 excepted, 12 in the baseline`; '' if all findings count. */
export function uncountedNumbers(findings: readonly Finding[]): string {
  const excepted = findings.filter((finding) => finding.excepted !== null).length;
  const others = findings.filter((finding) => finding.excepted === null);
  const unfixable = others.filter((finding) => finding.unfixable).length;
  const known = others.filter((finding) => finding.baseline && !finding.unfixable).length;
  return [
    ...(excepted > 0 ? [`${grouped(excepted)} excepted`] : []),
    ...(known > 0 ? [`${grouped(known)} in the baseline`] : []),
    ...(unfixable > 0 ? [`${grouped(unfixable)} that only a new version changes`] : []),
  ].join(', ');
}

/**
 * The reason why a finding does not count: `excepted until 2027-03-01: The host is moving.`; '' if it counts. Not
 * escaped.
 */
export function whyUncounted({
  excepted,
  baseline,
  unfixable,
}: Pick<Finding, 'excepted' | 'baseline' | 'unfixable'>): string {
  if (excepted === null && unfixable) return 'published before: only a new version changes this';
  if (excepted === null) return baseline ? 'in the baseline' : '';
  const { reason, until, issue } = excepted;
  return `excepted${until === null ? '' : ` until ${until}`}: ${reason}${issue === null ? '' : ` (${issue})`}`;
}

/** Findings of the baseline that are named without --verbose. */
const NAMED = 5;

/** The findings of the baseline that no longer occur, in one line; '' if there are none. Not escaped. */
export function resolvedText({ resolved }: Pick<Report, 'resolved'>, most = NAMED): string {
  if (resolved.length === 0) return '';
  const named = resolved.slice(0, most).map(({ rule, app, version }) => {
    const about = [app, version].filter((name) => name !== null).join(' ');
    return about === '' ? rule : `${rule} (${about})`;
  });
  const more = resolved.length - named.length;
  const list = [...named, ...(more > 0 ? [`${grouped(more)} more`] : [])].join(', ');
  const verb = resolved.length === 1 ? 'occurs' : 'occur';
  return `${counted(resolved.length, 'finding')} of the baseline no longer ${verb}: ${list}. Write the baseline again, so that they cannot return.`;
}

/** Builders that are listed. */
const LISTED = 5;

/** Facts that attestations prove, as worded by the reporters for people: a line for each builder. */
export function attestedLines(attested: readonly AttestedVersions[]): string[] {
  const more = attested.slice(LISTED).reduce((sum, { versions }) => sum + versions, 0);
  const lines = attested
    .slice(0, LISTED)
    .map(({ versions, builder }) => `${counted(versions, 'version')} verified, ${builderText(builder)}`);
  return more === 0 ? lines : [...lines, `${counted(more, 'version')} verified, built by others`];
}

function builderText(builder: AttestedVersions['builder']): string {
  if (builder.kind === 'key') return `signed with the key sha256:${builder.sha256}`;
  if (builder.kind === 'workflow') return `built by ${brief(builder.workflow)} of ${brief(builder.repository)}`;
  const { identity, issuer } = builder;
  return `signed by ${brief(identity ?? 'an unnamed identity')} (${brief(issuer ?? 'unknown issuer')})`;
}

function brief(text: string): string {
  return printableExcerpt(text, 200);
}

/** The reasons why subscribers do not see an app, as worded by all reporters. */

/** The apps whose metadata file lists no version yet, except those that had versions before. */
export function unpublishedApps(findings: readonly Finding[]): ReadonlySet<string> {
  const unpublished = new Set<string>();
  for (const { rule, cause, app } of findings)
    if (rule === 'no-valid-versions' && cause === 'empty' && app !== null) unpublished.add(app);
  for (const { rule, app } of findings) if (rule === 'version-withdrawn' && app !== null) unpublished.delete(app);
  return unpublished;
}

/** Continues a sentence that ends in "hidden, because". @param named formats the id of a rule */
export function reasonWords(
  { key, because }: Pick<AppVerdict, 'key' | 'because'>,
  unpublished: ReadonlySet<string>,
  named: (rule: string) => string = (rule) => rule,
): string {
  if (!unpublished.has(key)) return `of ${because.map(named).join(', ')}`;
  const others = because.filter((rule) => rule !== 'no-valid-versions').map(named);
  return `${others.length === 0 ? '' : `of ${others.join(', ')}, and because `}no version is published yet`;
}
