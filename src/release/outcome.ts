import type { NewVersion } from '../author/metadata.ts';
import { type AppregError, isAppregError } from '../core/errors/error.ts';
import type { Finding } from '../core/findings/report.ts';
import type { VersionPlan } from '../publish/version-plan.ts';
import type { PreparedApp } from './evaluate.ts';

/** The outcome of one app of a release. */
export interface PublishedApp {
  kind: 'app';
  app: PreparedApp;
  /**
   * `planned`: nothing was to be written. `already-published`: the version was listed with the same bytes. `refused`: it
   * could not be planned. `failed`: it could not be written.
   */
  outcome: 'planned' | 'published' | 'already-published' | 'refused' | 'failed';
  /** The error of a refused or failed app; of a published one, why it is missing from a lock file. */
  error: AppregError | null;
  /** Its entry in the metadata file; null if it failed before it was known. */
  entry: NewVersion | null;
  /** Warnings and notes about the new version. */
  findings: Finding[];
}

/** An app whose version can be published. */
export interface PlannedVersion {
  app: PreparedApp;
  /** Without the step that lists a new app (`listingStep`): one edit lists all of them. */
  version: VersionPlan;
}

/** An app whose files and metadata are stored. */
export interface StoredApp extends PlannedVersion {
  kind: 'stored';
  /** True if this run lists the version, or the app. */
  isNew: boolean;
  /** The paths that this run wrote. */
  written: string[];
}

/**
 * The error of one app, which stops no other.
 * @throws everything else, which ends the run: a signal, a signature that cannot be made, or a defect of the program
 */
export function errorOfApp(error: unknown): AppregError {
  if (isAppregError(error) && error.code !== 'interrupted' && error.code !== 'attestation-failed') return error;
  throw error;
}

/** @throws as `errorOfApp` does */
export function refused(app: PreparedApp, error: unknown): PublishedApp {
  return { kind: 'app', app, outcome: 'refused', error: errorOfApp(error), entry: null, findings: [] };
}

/** @throws as `errorOfApp` does */
export function failed({ app, version: { entry, findings } }: PlannedVersion, error: unknown): PublishedApp {
  return { kind: 'app', app, outcome: 'failed', error: errorOfApp(error), entry, findings };
}

/** An app that was planned or published. */
export function succeeded(
  { app, version: { entry, findings } }: PlannedVersion,
  outcome: 'planned' | 'published' | 'already-published',
  error: AppregError | null = null,
): PublishedApp {
  return { kind: 'app', app, outcome, error, entry, findings };
}
