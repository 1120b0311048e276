import type { AppregError } from '../core/errors/error.ts';
import { message, safe } from '../core/text/message.ts';
import type { Plan, PlannedStep } from '../publish/plan.ts';
import { planAndApply } from '../publish/attempts.ts';
import { lockParts, readLocks, RECORDING, RECORDING_DESCRIPTIONS } from './locks.ts';
import { errorOfApp, type StoredApp } from './outcome.ts';
import type { ReleaseRegistry } from './plan-all.ts';
import type { PlannedEntry } from './plan-entries.ts';

/**
 * Records published versions and entries, with one edit of each lock file.
 * @returns the error if that failed, which is an error of each app
 * @throws AppregError if the run was interrupted
 */
export async function recordAll(
  registry: ReleaseRegistry,
  listed: readonly StoredApp[],
  entries: readonly PlannedEntry[],
  now: string,
): Promise<AppregError | null> {
  if (listed.length === 0 && entries.length === 0) return null;
  const { store, workspace } = registry;
  const planRecords = async (): Promise<{ plan: Plan<PlannedStep> }> => {
    const steps = lockParts(await readLocks(registry), listed, entries, now).flatMap((part) => part.steps);
    return { plan: { title: listed.length === 0 ? RECORDING_DESCRIPTIONS : RECORDING, steps } };
  };
  try {
    const { notRecorded } = await planAndApply(store, planRecords, { workspace });
    return notRecorded && withLockHint(errorOfApp(notRecorded));
  } catch (error) {
    return errorOfApp(error);
  }
}

/** The error of versions that only the lock file of the workspace does not have: the next release does not record them. */
export function withLockHint(error: AppregError): AppregError {
  return error.with({
    hint: message`${safe(error.hint)}${error.hint.endsWith('.') ? ' Then' : '; then'} run appreg lock`,
  });
}
