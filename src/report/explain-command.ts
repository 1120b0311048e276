import { counts, type Finding } from '../core/engine/report.ts';
import { printable } from '../core/text/text.ts';

/** The command that explains the first finding of the highest severity; null if there are only notes. */
export function explainCommand(findings: readonly Finding[]): string | null {
  const counting = findings.filter(counts);
  const first =
    counting.find(({ severity }) => severity === 'error') ?? counting.find(({ severity }) => severity === 'warning');
  return first === undefined ? null : `appreg explain ${printable(first.rule)}`;
}
