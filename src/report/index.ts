import type { Report } from '../core/report.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { json } from './json.ts';
import { junit } from './junit.ts';
import { markdown } from './markdown.ts';
import { DEFAULTS, type Format, type RenderOptions } from './options.ts';
import { pretty } from './pretty.ts';
import { sarif } from './sarif.ts';

type Reporter = (report: Report, options: RenderOptions) => string;

const REPORTERS: Record<Format, Reporter> = { pretty, json, sarif, junit, github, gitlab, markdown };

/** A report as text; pure. */
export function render(report: Report, format: Format, options: Partial<RenderOptions> = {}): string {
  return REPORTERS[format](report, { ...DEFAULTS, ...options });
}
