import { counted, printable, redact } from 'appreg';
import { alignedRows, type Style } from 'appreg/node';
import { type Level, LEVELS } from '../case/case.ts';
import { type CaseResult, type ConformanceReport, type Status, STATUSES, isFailure } from '../result.ts';

/** Texts about the results for people, in every format. */

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  pass: 'passed',
  fail: 'failed',
  'expected-failure': 'failed as expected',
  'stale-expected-failure': 'passed, expected to fail',
  'harness-error': 'error of the kit',
  'not-run': 'not run',
  reported: 'reported',
};

/** True for a result that a reader has to see: the case did not pass, without a known reason. */
export function isRemarkable({ status }: CaseResult): boolean {
  return status !== 'pass' && status !== 'reported' && status !== 'expected-failure';
}

export const LEVEL_WORDS: Readonly<Record<Level, string>> = {
  required: 'The specification requires it. Only these cases decide the result.',
  recommended: 'Good practice that the specification does not require.',
  unspecified: 'The specification is silent. The behavior is reported, not judged.',
};

/** The numbers of one level, such as `80 passed, 2 failed`; `no cases` if there are none. */
export function numbersOf({ summary }: ConformanceReport, level: Level): string {
  const parts = STATUSES.filter((status) => summary[level][status] > 0).map(
    (status) => `${summary[level][status]} ${STATUS_WORDS[status]}`,
  );
  return parts.length === 0 ? 'no cases' : parts.join(', ');
}

/** The result in one sentence. */
export function verdictOf({ outcome, cases, role, set }: ConformanceReport): string {
  const what = `${counted(cases.length, 'case')} of the role ${role}, set ${set}`;
  return `${OUTCOMES[outcome]} (${what}).`;
}

const OUTCOMES = {
  pass: 'All required cases passed',
  fail: 'Required cases failed',
  incomplete: 'The test is incomplete, because the kit itself failed in at least one case',
} as const;

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
