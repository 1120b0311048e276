import { LOCK_FILE } from '../../core/registry/lock-file.ts';
import { lockStep, type RecordedVersion } from '../lock-step.ts';
import type { StoredDocument } from '../stored-document.ts';
import type { Part } from './part.ts';

/** The lock file of the store; nothing if it has the versions. */
export function lockPart(lock: StoredDocument, versions: readonly RecordedVersion[]): Part {
  const step = lockStep(lock, versions);
  return { steps: step === null ? [] : [step], files: [LOCK_FILE] };
}
