import type { NewVersion } from '../../author/metadata.ts';
import type { Finding } from '../../core/engine/report.ts';
import { type AppregError, isAppregError } from '../../core/errors.ts';
import type { LockedVersion, LockFile, Provenance } from '../../core/registry/lock-file.ts';
import type { Artifact } from '../artifact.ts';
import type { JudgeSettings } from '../check-change.ts';
import type { PreparedApp } from '../prepared-app.ts';
import { planListedVersion } from '../plan-listed-version.ts';
import type { VersionPlan } from '../publish-version.ts';
import type { RegistryLocation } from '../registry-location.ts';

/** Shared by the two ways to publish several apps. */

/** The result of one app. */
export interface PublishedApp {
  app: PreparedApp;
  /**
   * `already-published`: the version was listed with the same bytes. `refused`: it could not be planned. `failed`: it
   * could not be written.
   */
  outcome: 'published' | 'already-published' | 'refused' | 'failed';
  /** The error of a refused or failed app; of a published one, why it is missing from the lock file. */
  error: AppregError | null;
  /** Its entry in the metadata file; null if it failed before it was known. */
  entry: NewVersion | null;
  /** Warnings and notes about the new version. */
  findings: Finding[];
}

/** The plan of one app, or why it cannot be published. */
export type PlannedApp =
  | { app: PreparedApp; version: VersionPlan; error: null }
  | { app: PreparedApp; version: null; error: AppregError };

/** Plans one app; an expected error is its result. @throws AppregError if the run was interrupted */
export async function planPreparedApp(
  place: RegistryLocation,
  app: PreparedApp,
  judgeSettings: JudgeSettings,
): Promise<PlannedApp> {
  try {
    return { app, version: await planListedVersion(place, app, judgeSettings), error: null };
  } catch (error) {
    return { app, version: null, error: errorOfApp(error) };
  }
}

/** The error of one app. @throws everything else, which ends the run: a signal, or a defect of the program */
export function errorOfApp(error: unknown): AppregError {
  if (isAppregError(error) && error.code !== 'interrupted') return error;
  throw error;
}

/** The same location, which also knows the lock file of the store. */
export function withStoredLock(place: RegistryLocation, lock: LockFile | null): RegistryLocation {
  return {
    ...place,
    firstSeen: (app, version) =>
      place.firstSeen?.(app, version) ?? lock?.get(app)?.get(version)?.artifactChecksum ?? null,
  };
}

/** What was published, and what it was built from; null if that is unknown. */
interface BuiltArtifact {
  artifact: Artifact;
  provenance: Provenance | null;
}

/** A version as the lock file records it. @param now ISO 8601 */
export function lockedVersion({ artifact, provenance }: BuiltArtifact, entry: NewVersion, now: string): LockedVersion {
  const { version, artifactUrl, artifactChecksum } = entry;
  const recorded = { version, artifactUrl, artifactChecksum, bytes: artifact.content.bytes, firstSeen: now };
  return provenance === null ? recorded : { ...recorded, provenance };
}
