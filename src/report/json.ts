import type { Report } from '../core/engine/report.ts';
import { safeJson } from '../core/text/text.ts';

/** The report as schemas/report.schema.json has it; control characters stand as `\u` escapes. */
export function json(report: Report): string {
  return safeJson(report);
}
