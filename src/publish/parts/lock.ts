import { LOCK_FILE, type LockedVersion } from '../../core/registry/lock-file.ts';
import { lockStep } from '../lock-step.ts';
import type { StoredDocument } from '../stored-document.ts';
import type { Part } from './part.ts';

/** A version of an app, as lock files record it. */
interface Recorded {
  app: string;
  version: LockedVersion;
}

/** The lock file of the store; nothing if it has the version. */
export function lockPart(lock: StoredDocument, recorded: Recorded): Part {
  const step = lockStep(lock, [recorded]);
  return { steps: step === null ? [] : [step], files: [LOCK_FILE] };
}
