import type { Diagnosis } from '../core/engine/diagnosis.ts';
import type { Report } from '../core/findings/report.ts';
import { printable } from '../core/text/text.ts';
import type { Cause, SymptomView, View } from './diagnosis-evidence.ts';
import { pairText } from './diagnosis-causes.ts';
import { viewOf } from './diagnosis-view.ts';
import type { PrettyOptions } from './pretty.ts';
import type { Style } from './style.ts';
import { STATUS_WORDS } from './words.ts';

/** A diagnosis for a terminal, to be read out on a call. */

export function prettyDiagnosis(report: Report, diagnosis: Diagnosis, { style, verbose }: PrettyOptions): string {
  const view = viewOf(report, diagnosis, { verbose, whole: verbose });
  const lines = view.symptoms.map((symptom) => headline(symptom, style));
  for (const symptom of detailed(view)) lines.push('', ...section(symptom, style));
  if (view.apps.length > 0) lines.push('', style.bold('Apps'), ...view.apps.map((line) => `  ${printable(line)}`));
  if (view.next)
    lines.push(
      '',
      style.bold(view.next.title),
      ...view.next.lines.map((line) => `  ${style.cyan('→')} ${printable(line)}`),
    );
  if (view.notChecked.length > 0)
    lines.push('', style.dim('Not checked:'), ...view.notChecked.map((line) => style.dim(`  ${printable(line)}`)));
  return [...lines, '', printable(view.closing.join(' · '))].join('\n');
}

function headline(symptom: SymptomView, style: Style): string {
  const { title, summary } = symptom;
  const line = `${style.bold(title)}: ${statusOf(symptom, style)}`;
  return summary === null ? line : `${line} ${style.dim(`(${printable(summary)})`)}`;
}

const ORDER: readonly SymptomView['status'][] = ['confirmed', 'suspected', 'not-judged', 'clear'];

/** The symptoms with more details, confirmed ones first. */
export function detailed({ symptoms, withoutSymptom }: View): SymptomView[] {
  const listed = symptoms.filter(({ causes, remarks }) => causes.length + remarks.length > 0);
  const sorted = listed.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  return withoutSymptom === null ? sorted : [...sorted, withoutSymptom];
}

function section(symptom: SymptomView, style: Style): string[] {
  return [
    style.bold(symptom.title),
    ...symptom.causes.flatMap((cause) => causeLines(cause, style)),
    ...symptom.remarks.map((remark) => style.dim(`  ${printable(remark)}`)),
  ];
}

function severityMark(severity: Cause['severity'], style: Style): string {
  if (severity === 'error') return style.red('✗');
  return severity === 'warning' ? style.yellow('!') : '·';
}

function causeLines(cause: Cause, style: Style): string[] {
  const mark = severityMark(cause.severity, style);
  const affected = cause.affected === null ? '' : style.dim(` (${printable(cause.affected)})`);
  const observed = [cause.place, ...cause.evidence.map(pairText)].join(' · ');
  return [
    `  ${mark} ${printable(cause.message)}${affected} ${style.dim(cause.rule)}`,
    `    who   ${printable(cause.who)}`,
    style.dim(`    seen  ${printable(observed)}`),
    ...nextLines(cause).map((line, i) => `    ${i === 0 ? style.cyan('next') : '    '}  ${printable(line)}`),
    ...(cause.uncounted === '' ? [] : [style.dim(`    not counted  ${printable(cause.uncounted)}`)]),
    ...cause.also.map((line) => style.dim(`    also  ${printable(line)}`)),
  ];
}

function nextLines({ next, remedies }: Cause): string[] {
  return next === null ? remedies : [next, ...remedies];
}

function statusOf({ status }: SymptomView, style: Style): string {
  const word = STATUS_WORDS[status];
  if (status === 'confirmed') return style.red(word);
  if (status === 'suspected') return style.yellow(word);
  return status === 'clear' ? style.green(word) : style.dim(word);
}
