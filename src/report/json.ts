import type { Report } from '../core/engine/report.ts';
import { safeJson } from '../core/text/text.ts';

/** The report according to schemas/report.schema.json; control characters are written as `\u` escapes. */
export function json(report: Report): string {
  return safeJson(report);
}
