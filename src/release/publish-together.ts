import { aboutPath } from '../core/registry/companion.ts';
import type { NewVersion } from '../author/metadata.ts';
import type { Finding } from '../core/findings/report.ts';
import { counted } from '../core/text/text.ts';
import { type AppregError, isAppregError } from '../core/errors/error.ts';
import { member } from '../core/json/json.ts';
import { LOCK_FILE, type Provenance } from '../core/registry/lock-file.ts';
import { manifestApps, metadataUrlOf } from '../core/registry/manifest.ts';
import { digestOfBytes } from '../store/bytes.ts';
import type { BatchStore, Store } from '../store/store.ts';
import { describeWriteState } from '../store/journal.ts';
import type { StepResult } from '../publish/apply-step.ts';
import { artifactPath, type ArtifactToStore } from '../publish/artifact.ts';
import { iconPath } from '../publish/parts/icon.ts';
import type { JudgeSettings } from '../publish/check-change.ts';
import { lockedVersion, lockIn, lockStep, readLockDocument, withStoredLock } from '../publish/lock-step.ts';
import type { Plan, PlannedStep } from '../publish/plan.ts';
import { run } from '../publish/run.ts';
import {
  isListing,
  planVersion,
  readApp,
  type VersionPlan,
  type VersionToPublish,
} from '../publish/publish-version.ts';
import { type RegistryLocation, readManifest } from '../publish/registry-location.ts';
import type { StoredDocument } from '../publish/stored-document.ts';

/** Shared by the two ways to publish several apps: in one write, and one by one. */

/** An app of the repository that is built, and whose declared version is to be published. */
export interface PreparedApp extends VersionToPublish {
  /** Its folder as messages show it, relative to the configuration, with forward slashes. */
  folder: string;
  /** The archive, with its digest (`content.sha256`) and what was found in it. */
  artifact: ArtifactToStore;
  /** What the archive was built from, for the lock file. */
  provenance: Provenance;
}

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
    return { app, version: await planVersion(place, await readApp(place, app), app, judgeSettings), error: null };
  } catch (error) {
    return { app, version: null, error: errorOfApp(error) };
  }
}

/**
 * The error of one app.
 * @throws everything else, which ends the run: a signal, a signature that cannot be made, or a defect of the program
 */
export function errorOfApp(error: unknown): AppregError {
  if (isAppregError(error) && error.code !== 'interrupted' && error.code !== 'attestation-failed') return error;
  throw error;
}

type BatchLocation = RegistryLocation & { store: BatchStore };
export type PlannedVersion = PlannedApp & { error: null };

/**
 * Publishes all apps in one write, such as a commit. An app that cannot be planned is left out. If the write is refused,
 * such as for a version that another publisher has just listed with other bytes, all remaining apps are planned again on
 * the current state, which shows the app that has to be left out.
 * @param settle called once for each app
 * @throws AppregError if the run was interrupted
 */
export async function publishTogether(
  place: BatchLocation,
  apps: readonly PreparedApp[],
  judgeSettings: JudgeSettings,
  settle: (result: PublishedApp) => void,
): Promise<void> {
  let remaining = apps;
  let plannable: PlannedVersion[] = [];
  let refusal: AppregError | null = null;
  let isPlanned = false;
  const make = async (): Promise<{ plan: Plan<PlannedStep>; versions: PlannedVersion[] }> => {
    isPlanned = false;
    const { planned, lock } = await planAll(place, remaining, judgeSettings);
    isPlanned = true;
    plannable = planned.filter((one): one is PlannedVersion => one.error === null);
    // The same apps were refused before: planning them again would not end.
    const repeated = plannable.length === remaining.length ? refusal : null;
    refusal = null;
    for (const { app, error } of planned)
      if (error !== null) settle({ app, outcome: 'refused', error, entry: null, findings: [] });
    remaining = plannable.map(({ app }) => app);
    if (repeated !== null) throw repeated;
    const plan = plannable.length === 0 ? { steps: [] } : joinedPlan(plannable, judgeSettings.now, lock);
    return { plan, versions: plannable };
  };
  try {
    const { planned, results } = await run(place.store, make, {
      mayPlanAgain(error, refused) {
        refusal = errorOfApp(error);
        return refused !== null && error.effect === 'none';
      },
    });
    for (const one of planned.versions) settle(resultOf(one, results));
  } catch (error) {
    if (!isPlanned) throw error;
    failAll(plannable, errorOfApp(error), place.manifest, settle);
  }
}

/** Plans all apps on one state of the branch; the documents are read together. */
async function planAll(
  place: BatchLocation,
  apps: readonly PreparedApp[],
  judgeSettings: JudgeSettings,
): Promise<{ planned: PlannedApp[]; lock: StoredDocument }> {
  const store = await readAhead(place, apps);
  const lock = await readLockDocument(store);
  const known = withStoredLock({ ...place, store }, lockIn(lock));
  const planned: PlannedApp[] = [];
  for (const app of apps) planned.push(await planPreparedApp(known, app, judgeSettings));
  return { planned, lock };
}

/** The same store, with the files that the plans need in memory. */
async function readAhead({ store, manifest, pathOf }: BatchLocation, apps: readonly PreparedApp[]): Promise<Store> {
  const files = await store.batch.read([manifest, LOCK_FILE]);
  const known = new Set([manifest, LOCK_FILE]);
  const only: Store = { ...store, read: async (path) => files.get(path) ?? null };
  const listed = manifestApps((await readManifest({ store: only, manifest, base: '', pathOf })).value) ?? {};

  const places = apps.flatMap(({ key, version, listing }) => {
    const url = metadataUrlOf(member(listed, key)) ?? listing?.entry.appMetadataUrl ?? null;
    const path = url === null ? null : pathOf(url);
    return path === null ? [] : [{ path, version }];
  });
  const read = async (paths: readonly string[]): Promise<void> => {
    for (const path of paths) known.add(path);
    for (const [path, stored] of await store.batch.read([...new Set(paths)])) files.set(path, stored);
  };
  const icons = apps.flatMap(({ listing }) => (listing === null ? null : iconPath(listing)) ?? []);
  await read([...places.flatMap(({ path }) => [path, aboutPath(path)]), ...icons]);
  // The artifact of a listed version exists, and may be large.
  const isMentioned = (path: string, version: string): boolean =>
    Buffer.from(files.get(path)?.bytes ?? []).includes(JSON.stringify(version));
  await read(places.flatMap(({ path, version }) => (isMentioned(path, version) ? [] : [artifactPath(path, version)])));
  return {
    ...store,
    read: async (path) => (known.has(path) ? (files.get(path) ?? null) : store.read(path)),
    async digest(path) {
      if (!known.has(path)) return store.digest(path);
      const stored = files.get(path);
      return stored === undefined ? null : digestOfBytes(stored.bytes);
    },
  };
}

function resultOf({ app, version }: PlannedVersion, results: readonly StepResult[]): PublishedApp {
  const { plan, entry, findings } = version;
  const isNew = results.some((result) => isListing(result) && plan.steps.includes(result.step));
  return { app, outcome: isNew ? 'published' : 'already-published', error: null, entry, findings };
}

/** The plans as one, which ends with the lock file. @param lock as the plans were made with it */
export function joinedPlan(planned: readonly PlannedVersion[], now: string, lock: StoredDocument): Plan<PlannedStep> {
  const newVersions = planned.filter(({ version }) => !version.published);
  const entries = planned.map(({ app, version }) => ({
    app: app.key,
    version: lockedVersion(app, version.entry, now),
  }));
  const steps = [...planned.flatMap(({ version }) => version.plan.steps), lockStep(lock, entries) ?? []].flat();
  return { title: titleFor(newVersions.map(({ app }) => app)), steps };
}

/** The subject of the commit. */
function titleFor(apps: readonly PreparedApp[]): string {
  if (apps.length === 0) return 'Record the sources of published versions';
  const title = `Publish ${apps.map(({ key, version }) => `${key} ${version}`).join(', ')}`;
  return title.length <= 72 ? title : `Publish ${counted(apps.length, 'app')}`;
}

/** No app was written, or it is unknown whether all were: each gets the error, with the state of its own files, which the manifest is not. */
function failAll(
  planned: readonly PlannedVersion[],
  error: AppregError,
  manifest: string,
  settle: (result: PublishedApp) => void,
): void {
  for (const { app, version } of planned) {
    const { entry, findings, files } = version;
    const own = (paths: readonly string[] = []): string[] =>
      paths.filter((path) => files.includes(path) && path !== manifest);
    const { stored, notStored, unknown } = error.written ?? {};
    const written = { stored: own(stored), notStored: own(notStored), unknown: own(unknown) };
    const state = error.effect === 'none' ? error.state : describeWriteState(written);
    const ofApp = error.with({ effect: error.effect, state, written });
    settle({ app, outcome: 'failed', error: ofApp, entry, findings });
  }
}
