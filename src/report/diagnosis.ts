import type { Diagnosis } from '../core/diagnosis.ts';
import type { Report } from '../core/report.ts';
import { printable } from '../core/text.ts';
import { type Cause, type SymptomView, viewOf } from './diagnosis-view.ts';
import { code, prose } from './markdown-text.ts';
import type { PrettyOptions } from './pretty.ts';
import type { Style } from './style.ts';

/** A diagnosis for people: to be read out on a call (pretty), and to be pasted into a ticket (Markdown). */

export function prettyDiagnosis(report: Report, about: Diagnosis, { style, verbose }: PrettyOptions): string {
  const view = viewOf(report, about, { verbose, whole: verbose });
  const lines: string[] = [];
  for (const symptom of view.symptoms) lines.push(...section(symptom, statusOf(symptom, style), style));
  if (view.besides) lines.push('', ...section(view.besides, '', style));
  if (view.apps.length > 0) lines.push('', style.bold('Apps'), ...view.apps.map((line) => `  ${printable(line)}`));
  if (view.next)
    lines.push(
      '',
      style.bold(view.next.title),
      ...view.next.lines.map((line) => `  ${style.cyan('→')} ${printable(line)}`),
    );
  if (view.unseen.length > 0)
    lines.push('', style.dim('Not looked at:'), ...view.unseen.map((line) => style.dim(`  ${printable(line)}`)));
  return [...lines, '', printable(view.closing)].join('\n');
}

function section(symptom: SymptomView, status: string, style: Style): string[] {
  return [
    `${style.bold(symptom.title)}${status === '' ? '' : `: ${status}`}`,
    ...symptom.causes.flatMap((cause) => causeLines(cause, style)),
    ...symptom.remarks.map((remark) => style.dim(`  ${printable(remark)}`)),
  ];
}

function causeLines(cause: Cause, style: Style): string[] {
  const mark = cause.severity === 'error' ? style.red('✗') : cause.severity === 'warning' ? style.yellow('!') : '·';
  const about = cause.about === null ? '' : style.dim(` (${printable(cause.about)})`);
  return [
    `  ${mark} ${printable(cause.message)}${about} ${style.dim(cause.rule)}`,
    `    who   ${printable(cause.who)}`,
    style.dim(`    seen  ${printable(cause.seen)}`),
    `    ${style.cyan('next')}  ${printable(cause.next)}`,
  ];
}

const WORDS: Record<SymptomView['status'], string> = {
  clear: 'clear',
  suspected: 'suspected',
  confirmed: 'confirmed',
  'not-judged': 'not judged',
};

function statusOf({ status }: SymptomView, style: Style): string {
  const word = WORDS[status];
  if (status === 'confirmed') return style.red(word);
  if (status === 'suspected') return style.yellow(word);
  return status === 'clear' ? style.green(word) : style.dim(word);
}

export function markdownDiagnosis(
  report: Report,
  about: Diagnosis,
  { verbose }: Pick<PrettyOptions, 'verbose'>,
): string {
  const view = viewOf(report, about, { verbose, whole: true });
  const lines = [
    `## Diagnosis of ${code(report.target)}`,
    '',
    '| symptom | status |',
    '| --- | --- |',
    ...view.symptoms.map(
      ({ title, status }) => `| ${title} | ${status === 'confirmed' ? '**confirmed**' : WORDS[status]} |`,
    ),
  ];
  for (const symptom of [...view.symptoms, ...(view.besides ? [view.besides] : [])]) {
    lines.push('', `### ${symptom.title}${symptom === view.besides ? '' : `: ${WORDS[symptom.status]}`}`, '');
    for (const cause of symptom.causes) lines.push(...causeItems(cause));
    for (const remark of symptom.remarks) lines.push(`- ${prose(remark)}`);
  }
  lines.push(
    ...list('Apps', view.apps),
    ...list(view.next?.title ?? '', view.next?.lines ?? []),
    ...list('Not looked at', view.unseen),
  );
  return [...lines, '', `Registry: ${code(view.closing)}`].join('\n');
}

function causeItems(cause: Cause): string[] {
  return [
    `- **${cause.severity}**: ${prose(cause.message)}${cause.about === null ? '' : ` (${prose(cause.about)})`} ${code(cause.rule)}`,
    `  - who: ${prose(cause.who)}`,
    `  - seen: ${code(cause.seen)}`,
    `  - next: ${prose(cause.next)}`,
  ];
}

function list(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : ['', `### ${title}`, '', ...items.map((item) => `- ${prose(item)}`)];
}
