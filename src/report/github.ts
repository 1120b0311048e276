import { type Finding, type Report } from '../core/findings/report.ts';
import { SEVERITIES, type Severity } from '../core/values/severity.ts';
import { counted, printable, shorten } from '../core/text/text.ts';
import { locationOf, mostSevereFirst } from './location.ts';
import { failureReasons, splitByCounting, summaryLine } from './report-text.ts';
import { DEFAULTS, type RenderOptions } from './options.ts';

// GitHub shows this many annotations of each kind per step, and silently drops the others.
const SHOWN = 10;

const COMMAND: Record<Severity, string> = { error: 'error', warning: 'warning', note: 'notice' };

/** The annotations, followed by a summary line. */
export function github(report: Report, options: Pick<RenderOptions, 'folder'>): string {
  return [...annotations(report, options), `appreg ${report.command}: ${summaryLine(report, DEFAULTS.style)}`].join(
    '\n',
  );
}

/** Workflow commands for GitHub Actions, with a note on what GitHub would not show. A finding that does not count has none. */
export function annotations(report: Report, { folder }: Pick<RenderOptions, 'folder'>): string[] {
  const reasons = report.outcome === 'incomplete' ? failureReasons(report.notJudged).slice(0, 3) : [];
  const lines = reasons.map((reason) =>
    command('error', { title: `appreg ${report.command} is incomplete` }, printable(reason)),
  );
  const left: Record<Severity, number> = { error: SHOWN - lines.length, warning: SHOWN, note: SHOWN };
  const dropped: Record<Severity, number> = { error: 0, warning: 0, note: 0 };
  for (const finding of mostSevereFirst(splitByCounting(report.findings).counting)) {
    if (left[finding.severity]-- > 0) lines.push(annotation(finding, report, folder));
    else dropped[finding.severity]++;
  }
  const truncated = SEVERITIES.filter((severity) => dropped[severity] > 0);
  if (truncated.length > 0) {
    const list = truncated.map((severity) => counted(dropped[severity], severity)).join(', ');
    lines.push(`Not annotated, since GitHub shows only ${SHOWN} annotations of each kind per step: ${list}.`);
  }
  return lines;
}

function annotation(finding: Finding, report: Report, folder: string): string {
  const { path, url, line, column, about } = locationOf(finding, report, folder);
  const names = [finding.rule, finding.app, finding.version]
    .filter((name) => name !== null)
    .map((name) => shorten(name, 80));
  const place =
    path === null ? { title: `${names.join(' ')}: ${shorten(about ?? url ?? '', 200)}` } : { title: names.join(' ') };
  // A position in a document outside the repository would annotate a line of another file.
  const position = path === null ? {} : { file: path, line: line ?? 1, ...(column === null ? {} : { col: column }) };
  return command(
    COMMAND[finding.severity],
    { ...position, ...place },
    `${printable(finding.message)}\n${printable(finding.advice)}`,
  );
}

/** Escaped as the runner expects: `%`, CR and LF in the message, and `:` and `,` in properties as well. */
function command(name: string, properties: Record<string, string | number>, data: string): string {
  const list = Object.entries(properties).map(
    ([key, value]) =>
      `${key}=${escaped(printable(String(value)))
        .replaceAll(':', '%3A')
        .replaceAll(',', '%2C')}`,
  );
  return `::${name} ${list.join(',')}::${escaped(data)}`;
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
