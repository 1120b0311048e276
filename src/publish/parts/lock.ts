import { LOCK_FILE } from '../../core/registry/lock-file.ts';
import { lockStep, type RecordedDescription, type RecordedVersion } from '../lock-step.ts';
import type { StoredDocument } from '../stored-document.ts';
import { NOTHING, type Part } from './part.ts';

/** The lock file of the store; nothing if it has all of them. @param lock null if it records none */
export function lockPart(
  lock: StoredDocument | null,
  versions: readonly RecordedVersion[],
  descriptions: readonly RecordedDescription[] = [],
): Part {
  if (lock === null) return NOTHING;
  const step = lockStep(lock, versions, { descriptions });
  return { steps: step === null ? [] : [step], files: [LOCK_FILE] };
}
