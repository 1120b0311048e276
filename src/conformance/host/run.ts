import type { HostCase } from '../case.ts';
import { harnessError, observeAll } from '../observe.ts';
import type { Observation } from '../result.ts';
import { message } from '../../core/text/message.ts';

export interface HostRun {
  /** Where the tree of `conformance fixtures` was uploaded: the URL of its folder. */
  url: string;
}

/** Runs the cases of a host. */
export async function runHostCases(cases: readonly HostCase[], { url }: HostRun): Promise<Observation[]> {
  return observeAll(cases, 4, async ({ id }) => harnessError(id, message`No request can be sent to ${url} yet.`));
}
