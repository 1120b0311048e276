import { counted } from '../core/text/text.ts';
import type { Diagnosis } from '../core/engine/diagnosis.ts';
import type { Report } from '../core/findings/report.ts';
import { detailed } from './diagnosis.ts';
import type { Cause, Pair, SymptomView, View } from './diagnosis-evidence.ts';
import { viewOf } from './diagnosis-view.ts';
import { cell, code, prose } from './markdown-text.ts';
import type { PrettyOptions } from './pretty.ts';
import { STATUS_WORDS } from './words.ts';

/**
 * A diagnosis as Markdown, to be pasted into a ticket: each cause with its next step, and everything else collapsed.
 * All text is escaped.
 */
export function markdownDiagnosis(
  report: Report,
  diagnosis: Diagnosis,
  { verbose }: Pick<PrettyOptions, 'verbose'>,
): string {
  return ticketOf(report, viewOf(report, diagnosis, { verbose, whole: true }));
}

/**
 * A support ticket (spec 7) from a report alone, such as that of a service's last check.
 * @param seenAt ISO 8601: when the registry was observed
 */
export function reportTicket(report: Report, seenAt: string): string {
  const diagnosis: Diagnosis = { seenAt, origins: [], requested: null, copies: [], proxy: null, saved: false };
  // The next checks name options of the command line.
  return ticketOf(report, { ...viewOf(report, diagnosis, { verbose: false, whole: true, page: true }), next: null });
}

function ticketOf(report: Report, view: View): string {
  const lines = [
    `## Diagnosis of ${code(report.target)}`,
    '',
    '| symptom | status | why |',
    '| --- | --- | --- |',
    ...view.symptoms.map(
      ({ title, status, summary }) =>
        `| ${title} | ${status === 'confirmed' ? '**confirmed**' : STATUS_WORDS[status]} | ${summary === null ? 'see below' : cell(prose(summary))} |`,
    ),
  ];
  for (const symptom of detailed(view)) lines.push(...symptomLines(symptom, symptom === view.withoutSymptom));
  lines.push(
    ...list(view.next?.title ?? '', view.next?.lines ?? []),
    ...collapsed(counted(view.apps.length, 'app'), view.apps.map(item)),
    ...collapsed('Not checked', view.notChecked.map(item)),
  );
  const [target = '', ...rest] = view.closing;
  return [
    ...lines,
    '',
    `Registry: ${[code(target), ...rest.map((part) => (TIME.test(part) ? part : prose(part)))].join(' · ')}`,
  ].join('\n');
}

// Our own text, and harmless; a colon in a registry's text is not.
const TIME = /^(saved )?[\d-]+ [\d:]+ UTC$/;

function symptomLines({ title, status, causes, remarks }: SymptomView, isOther: boolean): string[] {
  return [
    '',
    `### ${title}${isOther ? '' : `: ${STATUS_WORDS[status]}`}`,
    '',
    ...causes.flatMap(causeLines),
    ...remarks.map(item),
    ...collapsed('Evidence', causes.flatMap(evidenceLines)),
  ];
}

function causeLines(cause: Cause): string[] {
  return [
    `- **${cause.severity}**: ${prose(cause.message)}${cause.affected === null ? '' : ` (${prose(cause.affected)})`} ${code(cause.rule)}`,
    `  - who: ${prose(cause.who)}`,
    `  - next: ${prose(cause.next ?? 'differs by app:')}`,
    ...cause.remedies.map((line) => `    - ${prose(line)}`),
    ...(cause.uncounted === '' ? [] : [`  - not counted: ${prose(cause.uncounted)}`]),
  ];
}

function evidenceLines({ rule, place, evidence, also }: Cause): string[] {
  return [
    `- ${code(rule)}: ${[prose(place), ...evidence.map(pairItem)].join(' · ')}`,
    ...also.map((line) => `  - also: ${parts(line)}`),
  ];
}

function pairItem([name, value]: Pair): string {
  return name === '' ? code(value) : `${prose(name)} ${code(value)}`;
}

/** The parts of a line, each as a sentence. */
function parts(line: string): string {
  return line.split(' · ').map(prose).join(' · ');
}

function item(line: string): string {
  return `- ${prose(line)}`;
}

function list(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `### ${title}`, '', ...lines.map(item)];
}

/** @param title our own text */
function collapsed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `<details><summary>${title}</summary>`, '', ...lines, '', '</details>'];
}
