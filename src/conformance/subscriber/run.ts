import type { SubscriberCase } from '../case.ts';
import { harnessError, observeAll } from '../observe.ts';
import type { Observation } from '../result.ts';
import { message } from '../../core/text/message.ts';

export interface SubscriberRun {
  /** The words of --command. */
  command: readonly string[];
  /** The folder in which the command runs. */
  cwd: string;
}

/** Runs the cases of a subscriber. */
export async function runSubscriberCases(
  cases: readonly SubscriberCase[],
  { command }: SubscriberRun,
): Promise<Observation[]> {
  return observeAll(cases, 2, async ({ id }) => harnessError(id, message`${command.join(' ')} cannot be run yet.`));
}
