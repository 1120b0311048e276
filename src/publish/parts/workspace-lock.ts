import { lockStep, type RecordedDescription, type RecordedVersion } from '../lock-step.ts';
import type { StoredDocument } from '../stored-document.ts';
import { NOTHING, type Part } from './part.ts';

/** Name of that lock file in messages. */
export const WORKSPACE_LOCK = 'the lock file of the workspace';

/**
 * The lock file of the workspace, whose registry is in a store elsewhere. It has no file in the store; nothing if it has
 * all of them.
 * @param lock null if there is none
 */
export function workspaceLockPart(
  lock: StoredDocument | null,
  versions: readonly RecordedVersion[],
  descriptions: readonly RecordedDescription[] = [],
): Part {
  const step = lock && lockStep(lock, versions, { what: WORKSPACE_LOCK, role: 'workspace-lock', descriptions });
  return step === null ? NOTHING : { ...NOTHING, steps: [step] };
}
