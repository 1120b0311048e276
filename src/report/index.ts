import type { Report } from '../core/report.ts';
import { json } from './json.ts';
import { pretty } from './pretty.ts';
import type { Style } from './style.ts';

/** The formats of `--format`. */
export const FORMATS = ['pretty', 'json'] as const;
export type Format = (typeof FORMATS)[number];

/** A report as text; pure. */
export function render(report: Report, format: Format, style: Style, verbose = false): string {
  return format === 'json' ? json(report) : pretty(report, { style, verbose });
}
