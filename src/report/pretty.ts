import type { Finding, Report } from '../core/findings/report.ts';
import type { Severity } from '../core/values/severity.ts';
import { counted, printable, printableExcerpt } from '../core/text/text.ts';
import type { RenderOptions } from './options.ts';
import {
  attestedLines,
  countedReason,
  isFailure,
  isIntentional,
  reasonWords,
  resolvedText,
  splitByCounting,
  summaryLine,
  unpublishedApps,
  whyUncounted,
} from './report-text.ts';
import { groupBy } from './words.ts';
import type { Style } from './style.ts';

export interface PrettyOptions extends Partial<Pick<RenderOptions, 'attested'>> {
  style: Style;
  /** Show the evidence of every finding, and every check that was not made. */
  verbose: boolean;
}

/** Findings, and hidden apps, that are listed; `--format json` lists all of them. */
const MAX_LISTED = 200;

/** Evidence listed per finding without --verbose. */
const MAX_EVIDENCE = 6;

/** The report for people: findings by file or URL, hidden apps, what was not judged, and a summary line to quote. */
export function pretty(report: Report, options: PrettyOptions): string {
  const lines = [
    ...findings(report, options),
    ...uncounted(report, options),
    ...hidden(report, options),
    ...unjudged(report, options),
    ...resolved(report, options),
    ...attestedLines(options.attested ?? []),
    summaryLine(report, options.style),
  ];
  return lines.join('\n');
}

function findings(report: Report, options: PrettyOptions): string[] {
  const { style } = options;
  const { counting } = splitByCounting(report.findings);
  const shown = counting.slice(0, MAX_LISTED);
  const byPlace = groupBy(shown, ({ file, url }) => file ?? url ?? report.target);
  const lines: string[] = [];
  for (const [place, group] of byPlace) {
    lines.push(
      ...(lines.length === 0 ? [] : ['']),
      style.underline(printable(place)),
      ...group.flatMap((finding) => findingLines(finding, options)),
    );
  }
  const more = counting.length - MAX_LISTED;
  if (more > 0) lines.push('', style.dim(`… and ${counted(more, 'more finding')}; --format json lists them all.`));
  if (lines.length > 0) lines.push('');
  return lines;
}

function findingLines(finding: Finding, { style, verbose }: PrettyOptions): string[] {
  const position = finding.line === null ? '' : `${finding.line}:${finding.column}  `;
  const lines = [
    `  ${style.dim(position)}${label(finding.severity, style)}  ${printable(finding.message)}  ${style.dim(ruleAndPlace(finding))}`,
    `    ${style.cyan('→')} ${printable(finding.advice)}`,
  ];
  if (verbose || finding.file === null) {
    const evidence = Object.entries(finding.evidence).filter(
      ([name, value]) => name !== 'alsoHit' && value !== null && String(value) !== '',
    );
    for (const [name, value] of verbose ? evidence : evidence.slice(0, MAX_EVIDENCE)) {
      const text = Array.isArray(value) ? value.join(', ') : String(value);
      lines.push(style.dim(`      ${printable(name)}: ${printableExcerpt(text, verbose ? 500 : 160)}`));
    }
    const more = evidence.length - MAX_EVIDENCE;
    if (!verbose && more > 0) lines.push(style.dim(`      … ${more} more with --verbose`));
  }
  return lines;
}

/** `url-unstable (clock 1.0.0)`. */
function ruleAndPlace({ rule, app, version, evidence: { alsoHit } }: Finding): string {
  const about = [app, version]
    .filter((name) => name !== null)
    .map((name) => printableExcerpt(name, 60))
    .join(' ');
  const where = [...(about ? [about] : []), ...(alsoHit ? [`and ${String(alsoHit)} more`] : [])].join(' ');
  return `${rule}${where ? ` (${where})` : ''}`;
}

/** With --verbose, the findings that do not count; otherwise the summary line has their number. */
function uncounted(report: Report, { style, verbose }: PrettyOptions): string[] {
  const found = verbose ? splitByCounting(report.findings).uncounted : [];
  if (found.length === 0) return [];
  const lines = found.slice(0, MAX_LISTED).flatMap((finding) => {
    const { severity, message, file, url, line, column } = finding;
    const place = `${file ?? url ?? report.target}${line === null ? '' : `:${line}:${column}`}`;
    return [
      `  ${severity}  ${printable(message)}  ${ruleAndPlace(finding)}`,
      `    ${printable(place)}`,
      `    ${printableExcerpt(whyUncounted(finding), 300)}`,
    ];
  });
  const more = found.length - MAX_LISTED;
  if (more > 0) lines.push(`  … and ${counted(more, 'more finding')}; --format json lists them all.`);
  return [...['Not counted:', ...lines].map((line) => style.dim(line)), ''];
}

/** The findings of the baseline that no longer occur: all with --verbose. */
function resolved(report: Report, { verbose }: PrettyOptions): string[] {
  const text = resolvedText(report, verbose ? MAX_LISTED : undefined);
  return text === '' ? [] : [printable(text), ''];
}

function label(severity: Severity, style: Style): string {
  if (severity === 'error') return style.red('error');
  return severity === 'warning' ? style.yellow('warning') : style.dim('note');
}

function hidden(report: Report, { style }: PrettyOptions): string[] {
  const apps = report.apps.filter((app) => app.visible === false);
  if (apps.length === 0) return [];
  const unpublished = unpublishedApps(report.findings);
  const lines = apps
    .slice(0, MAX_LISTED)
    .map((app) => `  ${style.bold(printableExcerpt(app.key, 80))}  hidden, because ${reasonWords(app, unpublished)}`);
  if (apps.length > MAX_LISTED) lines.push(style.dim(`  … and ${counted(apps.length - MAX_LISTED, 'more app')}`));
  return [`${counted(apps.length, 'app')} that subscribers will not see:`, ...lines, ''];
}

/** Files that are not in the workspace, by a rule that is judged for each of them. */
const ABSENT = [
  { rule: 'document-unreadable', noun: 'metadata file', verb: 'read' },
  { rule: 'icon-not-image', noun: 'icon', verb: 'inspected' },
  { rule: 'artifact-checksum-mismatch', noun: 'artifact', verb: 'hashed' },
] as const;

const WHERE = [
  { code: 'not-in-workspace', words: 'not in the workspace' },
  { code: 'not-checked-out', words: 'not part of this sparse checkout (git sparse-checkout add <folder>)' },
  { code: 'lfs-not-fetched', words: 'in Git LFS, and not fetched (git lfs pull)' },
] as const;

function unjudged(report: Report, { style, verbose }: PrettyOptions): string[] {
  const { notJudged } = report;
  if (notJudged.length === 0) return [];
  if (verbose) {
    const list = notJudged.map(
      (entry) =>
        `  ${entry.rule}${[entry.app, entry.version]
          .filter((name) => name !== null)
          .map((name) => ` ${printable(name)}`)
          .join('')}: ${printable(countedReason(entry))}`,
    );
    return [style.dim('Not judged:'), ...list.map((line) => style.dim(line)), ''];
  }
  const offline = new Set(notJudged.filter(({ code }) => code === 'offline').map(({ rule }) => rule)).size;
  const lines = ABSENT.flatMap(({ rule, noun, verb }) =>
    WHERE.flatMap(({ code, words }) => {
      const absent = notJudged.filter((entry) => entry.code === code && entry.rule === rule);
      const number = absent.filter(({ count: further }) => further === null).length;
      const more = absent.length > number ? ' and more' : '';
      return number === 0 ? [] : [`${counted(number, noun)}${more} not ${verb}: ${words}.`];
    }),
  );
  if (offline > 0)
    lines.push(`${counted(offline, 'check')} not made: they need the network (appreg verify <registry-url>).`);
  const failed = notJudged.filter(isFailure);
  for (const entry of failed.slice(0, 5))
    lines.push(`${entry.rule === '*' ? 'Incomplete' : `${entry.rule} not judged`}: ${printable(countedReason(entry))}`);
  for (const { reason } of notJudged.filter(isIntentional)) lines.push(`Not checked: ${printable(reason)}.`);
  return lines.length === 0 ? [] : [...lines.map((line) => style.dim(line)), ''];
}
