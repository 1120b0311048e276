import { printable, redact } from '../../core/text/text.ts';
import { alignedRows } from '../../report/columns.ts';
import type { Style } from '../../report/style.ts';
import { LEVELS } from '../case.ts';
import { type CaseResult, type ConformanceReport, isFailure } from '../result.ts';
import { isRemarkable, numbersOf, STATUS_WORDS, verdictOf } from './words.ts';

/** The results for a terminal: what did not pass, with the sentence of the specification, then the numbers. */
export function conformanceTable(report: ConformanceReport, style: Style, verbose: boolean): string {
  const shown = report.cases.filter((one) => verbose || isRemarkable(one));
  const rows = alignedRows(shown.map(({ id, level, status }) => [STATUS_WORDS[status], level, id]));
  const details = shown.flatMap((one, index) => [colored(one, rows[index] ?? '', style), ...detailsOf(one, style)]);
  const numbers = alignedRows(LEVELS.map((level) => [level, numbersOf(report, level)]));
  const verdict = verdictOf(report);
  return [
    ...details,
    ...(details.length > 0 ? [''] : []),
    ...numbers,
    report.outcome === 'pass' ? style.green(verdict) : style.red(verdict),
  ].join('\n');
}

function colored(one: CaseResult, line: string, style: Style): string {
  if (isFailure(one) || one.status === 'harness-error') return style.red(line);
  return one.status === 'fail' || one.status === 'not-run' ? style.yellow(line) : line;
}

function detailsOf({ title, spec, quote, message, observed, reason, settings }: CaseResult, style: Style): string[] {
  const lines = [
    title,
    message,
    observed && `Observed: ${observed}`,
    reason && `Expected failure: ${reason}`,
    ...Object.entries(settings ?? {}).map(([host, setting]) => `${host}: ${setting}`),
  ].flatMap((line) => line || []);
  const shown = lines.map((line) => `  ${printable(redact(line))}`);
  return quote === null ? shown : [...shown, style.dim(`  Specification ${spec}: “${printable(quote)}”`)];
}
