import { grouped, printable } from '../core/text/text.ts';
import type { Plan } from './plan.ts';

const VERBS = { create: 'create', replace: 'replace', edit: 'edit  ' };

/** Describes the plan for `--dry-run`, one line per step. */
export function describePlan(plan: Plan): string {
  return plan.steps
    .map((step) => {
      const size = step.kind === 'edit' ? '' : `, ${grouped(step.bytes.length)} bytes`;
      return `${VERBS[step.kind]} ${printable(step.path)}  (${printable(step.what)}${size})`;
    })
    .join('\n');
}
