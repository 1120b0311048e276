import { type Finding, type NotJudged, type Report } from '../core/findings/report.ts';
import { SEVERITIES, type Severity } from '../core/values/severity.ts';
import { counted, printableExcerpt } from '../core/text/text.ts';
import {
  attestedLines,
  failureReasons,
  isIntentional,
  reasonWords,
  splitByCounting,
  summaryLine,
  resolvedText,
  uncountedNumbers,
  unpublishedApps,
  whyUncounted,
} from './report-text.ts';
import { groupBy, STATUS_WORDS, symptomName } from './words.ts';
import { cell, code, prose } from './markdown-text.ts';
import type { RenderOptions } from './options.ts';
import { PLAIN } from './style.ts';
import { locationOf } from './location.ts';

// A comment on GitHub may have 65,536 characters; the rest is left for surrounding text.
const LIMIT = 60_000;
// Maximum number of hidden apps, and of reasons why something was not judged, to list.
const HIDDEN = 50;
const REASONS = 20;
const EVIDENCE = 6;

/**
 * For comments on pull requests and job summaries: the outcome first, then findings by severity and location, with
 * collapsed details.
 */
export function markdown(
  report: Report,
  { folder, attested = [] }: Pick<RenderOptions, 'folder'> & Partial<Pick<RenderOptions, 'attested'>>,
): string {
  const head = [
    `## appreg ${report.command}`,
    '',
    `${summaryLine(report, PLAIN)}${report.target === '' ? '' : ` · ${code(brief(report.target, 300))}`}`,
    ...attestedLines(attested).flatMap((line) => ['', prose(line)]),
    ...incomplete(report.notJudged),
    ...resolved(report),
    ...symptoms(report),
    ...hidden(report),
  ];
  const tail = unjudged(report.notJudged);
  const room = LIMIT - [...head, ...tail].join('\n').length;
  const main = findings(report, folder, room);
  const left = room - main.join('\n').length;
  return [...head, ...main, ...uncounted(report, folder, left), ...tail].join('\n');
}

function incomplete(entries: readonly NotJudged[]): string[] {
  return failureReasons(entries)
    .slice(0, 5)
    .flatMap((reason) => ['', `**Incomplete**: ${prose(brief(reason, 300))}`]);
}

function resolved(report: Report): string[] {
  const text = resolvedText(report);
  return text === '' ? [] : ['', prose(brief(text, 600))];
}

function symptoms(report: Report): string[] {
  const rows = report.symptoms.map(({ id, status, rules }) => {
    const shown = rules.slice(0, 8).map((rule) => cell(code(rule)));
    const more = rules.length > 8 ? [`and ${rules.length - 8} more`] : [];
    return `| ${symptomName(id)} | ${status === 'confirmed' ? `**${STATUS_WORDS[status]}**` : STATUS_WORDS[status]} | ${[...shown, ...more].join(', ')} |`;
  });
  return ['', '| symptom | status | because of |', '| --- | --- | --- |', ...rows];
}

function hidden({ apps, findings }: Report): string[] {
  const hiddenApps = apps.filter((app) => app.visible === false);
  if (hiddenApps.length === 0) return [];
  const unpublished = unpublishedApps(findings);
  const lines = hiddenApps.slice(0, HIDDEN).map(({ key, because }) => {
    const reason = reasonWords({ key, because: because.slice(0, 8) }, unpublished, code);
    return `- ${code(brief(key, 80))}, because ${reason}`;
  });
  const more = hiddenApps.length - HIDDEN;
  if (more > 0) lines.push(`- … and ${counted(more, 'more app')}`);
  return ['', `**${counted(hiddenApps.length, 'app')} that subscribers will not see:**`, '', ...lines];
}

/** As many as fit, errors first. */
function findings(report: Report, folder: string, room: number): string[] {
  const lines: string[] = [];
  let left = room - 200;
  let dropped = 0;
  const { counting } = splitByCounting(report.findings);
  for (const severity of SEVERITIES) {
    const list = counting.filter((finding) => finding.severity === severity);
    if (list.length === 0) continue;
    const { open, close } = fold(severity, list.length);
    left -= [...open, ...close].join('\n').length + 2;
    const inside: string[] = [];
    for (const [place, group] of groupBy(list, (finding) => placeOf(finding, report, folder))) {
      const items = [`**${code(brief(place, 300))}**`, ''];
      for (const finding of group) {
        const item = itemOf(finding, report, folder);
        const cost = item.length + 1 + (items.length === 2 ? items[0]!.length + 4 : 0);
        if (dropped > 0 || cost > left) dropped++;
        else {
          left -= cost;
          items.push(item);
        }
      }
      if (items.length > 2) inside.push('', ...items);
    }
    if (inside.length > 0) lines.push(...open, ...inside, ...close);
  }
  if (dropped > 0)
    lines.push('', `… and ${counted(dropped, 'more finding')} that do not fit here; \`--format json\` lists them all.`);
  return lines;
}

/** The findings that do not count, one line each, as far as they fit; collapsed. */
function uncounted(report: Report, folder: string, room: number): string[] {
  const found = splitByCounting(report.findings).uncounted;
  if (found.length === 0) return [];
  const title = `${counted(found.length, 'finding does', 'findings do')} not count: ${uncountedNumbers(found)}`;
  const lines: string[] = [];
  let left = room - 400;
  for (const finding of found) {
    const { rule, severity, app, version, message } = finding;
    const names = [app, version].filter((name) => name !== null).map((name) => code(brief(name, 60)));
    const where = code(brief(placeOf(finding, report, folder), 300));
    const line = `- ${severity} ${[code(rule), ...names].join(' ')} — ${prose(brief(message, 300))}\\\n  ${where} · ${prose(brief(whyUncounted(finding), 300))}`;
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
  }
  const more = found.length - lines.length;
  if (more > 0) lines.push(`- … and ${counted(more, 'more finding')}; \`--format json\` lists them all.`);
  return ['', `<details><summary>${title}</summary>`, '', ...lines, '', '</details>'];
}

/** Errors are expanded, the rest is collapsed. */
function fold(severity: Severity, length: number): { open: string[]; close: string[] } {
  const title = counted(length, severity);
  if (severity === 'error') return { open: ['', `### ${title}`], close: [] };
  return { open: ['', `<details><summary>${title}</summary>`], close: ['', '</details>'] };
}

function placeOf(finding: Finding, report: Report, folder: string): string {
  const { path, url } = locationOf(finding, report, folder);
  return path ?? url ?? report.target;
}

function itemOf(finding: Finding, report: Report, folder: string): string {
  const { line, column, about } = locationOf(finding, report, folder);
  const { rule, message, advice, app, version, evidence } = finding;
  const names = [app, version].filter((x) => x !== null).map((x) => code(brief(x, 60)));
  const seen = Object.entries(finding.file === null ? evidence : {})
    .filter(([, value]) => value !== null && String(value) !== '')
    .slice(0, EVIDENCE)
    .map(([name, value]) => code(brief(`${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`, 160)));
  return [
    `- ${[code(rule), ...names].join(' ')}${line === null ? '' : ` ${line}:${column ?? 1}`} — ${prose(brief(message, 600))}`,
    `  → ${prose(brief(advice, 600))}`,
    ...(about === null ? [] : [`  ${code(brief(about, 300))}`]),
    ...(seen.length > 0 ? [`  ${seen.join(' · ')}`] : []),
  ].join('\\\n');
}

function unjudged(entries: readonly NotJudged[]): string[] {
  const reasons = groupBy(
    entries.filter(({ rule }) => rule !== '*'),
    ({ reason }) => reason,
  );
  const skipped = entries.filter(isIntentional).map(({ reason }) => `- ${prose(brief(reason, 200))}`);
  if (reasons.size + skipped.length === 0) return [];
  const lines = [...reasons].slice(0, REASONS).map(([reason, list]) => {
    const rules = [...new Set(list.map(({ rule }) => rule))];
    const shown = rules.slice(0, 8).map(code).join(', ');
    return `- **${counted(rules.length, 'rule')}**: ${prose(brief(reason, 200))} (${shown}${rules.length > 8 ? ` and ${rules.length - 8} more` : ''})`;
  });
  const more = reasons.size - REASONS;
  if (more > 0) lines.push(`- … and ${counted(more, 'more reason')}`);
  return [
    '',
    '<details><summary>What was not judged</summary>',
    '',
    ...skipped.slice(0, REASONS),
    ...lines,
    '',
    '</details>',
  ];
}

/** Truncated after escaping, so that the limit holds for any content. */
function brief(text: string, limit: number): string {
  return printableExcerpt(text, limit);
}
