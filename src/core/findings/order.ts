import type { Finding } from './report.ts';
import { compareText } from '../text/order.ts';
import { compareVersions } from '../registry/version-order.ts';

/** The manifest first, then by app, version and rule. */
export function inReportOrder(a: Finding, b: Finding): number {
  return (
    Number(a.resource !== 'manifest' || a.app !== null) - Number(b.resource !== 'manifest' || b.app !== null) ||
    compareText(a.app, b.app) ||
    compareVersions(a.version, b.version) ||
    compareText(a.rule, b.rule) ||
    compareText(a.file, b.file) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareText(a.pointer, b.pointer)
  );
}
