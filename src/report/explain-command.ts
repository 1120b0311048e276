import type { Finding } from '../core/engine/report.ts';
import { printable } from '../core/text/text.ts';

/** The command that explains the first finding of the highest severity; null if there are only notes. */
export function explainCommand(findings: readonly Finding[]): string | null {
  const first =
    findings.find(({ severity }) => severity === 'error') ?? findings.find(({ severity }) => severity === 'warning');
  return first === undefined ? null : `appreg explain ${printable(first.rule)}`;
}
