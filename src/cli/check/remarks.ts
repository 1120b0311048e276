import { message } from '../../core/text/message.ts';
import type { Finding } from '../../core/findings/report.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { type LineChanges, describePlan, type Plan, type PlannedStep } from '../../publish/plan.ts';
import type { OpenWorkspace } from '../config/workspace.ts';
import type { Terminal } from '../io/terminal.ts';
import type { Style } from '../../report/style.ts';

/** Messages shared by the commands that write. */

/** Warnings and notes about what is added: on stderr, since they are not results. */
export function printFindings(terminal: Terminal, findings: readonly Finding[]): void {
  for (const { severity, rule, message: summary, advice } of findings) {
    const line = safeExcerpt(`${severity}: ${summary} ${advice} (${rule})`, 400);
    if (severity === 'note') terminal.detail(message`${line}`);
    else terminal.log(message`${line}`);
  }
}

/** The outcome of a plan. @param done the word for an applied plan */
export function planStatus<Done extends string>(
  plan: Plan,
  dryRun: boolean,
  done: Done,
): Done | 'unchanged' | 'planned' {
  if (plan.steps.length === 0) return 'unchanged';
  return dryRun ? 'planned' : done;
}

/** The planned writes and the lines of a document that they change: the result of a dry run. */
export function planText(style: Style, plan: Plan<PlannedStep>, lines: LineChanges | null = null): string {
  const steps = plan.steps.length === 0 ? 'nothing to do' : describePlan(plan);
  return [
    'Nothing was written. The plan:',
    steps,
    ...(lines?.removed ?? []).map((line) => style.red(`- ${safeExcerpt(line, 2000)}`)),
    ...(lines?.added ?? []).map((line) => style.green(`+ ${safeExcerpt(line, 2000)}`)),
  ].join('\n');
}

/** Prints the next step after files of the registry were changed: they have to be served. */
export function nextAfterChange(terminal: Terminal, { place, config }: OpenWorkspace, more = ''): void {
  const url = place.base + encodeURIComponent(place.manifest);
  if (config.store && config.store.type !== 'directory') terminal.next(message`appreg verify ${url}${more}`);
  else terminal.next(message`appreg lint; upload the folder; appreg verify ${url}${more}`);
}
