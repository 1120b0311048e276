import { counted } from '../core/text/text.ts';
import type { Report } from '../core/engine/report.ts';
import type { Style } from './style.ts';
import { uncountedNumbers } from './uncounted.ts';
import { elapsedTime, size } from './words.ts';

/** The last line of a report, to quote: the findings, and how much was checked. */
export function summaryLine(report: Report, style: Style): string {
  const { summary } = report;
  const seen = [
    counted(summary.apps, 'app'),
    counted(summary.versions, 'version'),
    ...(summary.artifacts > 0 ? [`${counted(summary.artifacts, 'artifact')} hashed`] : []),
    size(summary.bytes),
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
