import type { NewVersion } from '../author/metadata.ts';
import { LOCK_FILE } from '../core/registry/lock-file.ts';
import { inPool } from '../store/pool.ts';
import { isBatchStore } from '../store/store.ts';
import {
  errorOfApp,
  joinedPlan,
  planPreparedApp,
  type PlannedApp,
  type PlannedVersion,
  type PreparedApp,
  type PublishedApp,
  publishTogether,
} from './publish-together.ts';
import type { JudgeSettings } from '../publish/check-change.ts';
import type { Plan, PlannedStep } from '../publish/plan.ts';
import { signedPlan } from '../publish/sign.ts';
import { lockIn, readLockDocument, withStoredLock } from '../publish/lock-step.ts';
import { type RegistryLocation, readManifest } from '../publish/registry-location.ts';
import { listAndRecord, type StoredApp } from './list-apps.ts';
import { publishVersion, type VersionPlan } from '../publish/publish-version.ts';
import { requireWritable } from '../publish/require-writable.ts';
import type { StoredDocument } from '../publish/stored-document.ts';

/** Publishes the apps of a release. */

interface PublishAppsOptions {
  /** How many apps are published at a time; a store that writes several files in one step takes all of them. */
  jobs: number;
  judgeSettings: JudgeSettings;
  /** Fetches a stored artifact from its public URL before it is listed; not called if both are written in one step. */
  readBack?(app: PreparedApp, entry: NewVersion): Promise<void>;
  /** Called once for each app, as soon as its result is known. */
  onResult?(result: PublishedApp): void;
}

/**
 * Publishes each app at its declared version, with the guarantees of `publish`: it is judged before anything is
 * written, and nothing is listed before it is stored. A store that writes several files in one step gets all apps in
 * one write; elsewhere the files and the metadata of each app are stored on their own, then one edit of the manifest lists
 * the new apps, in their order, and one edit of the lock file records all versions. An app that fails stops no other.
 *
 * An app whose version is listed with the same bytes succeeds, and is recorded if the lock file does not have its
 * sources. So an interrupted run is continued by running it again, also with such apps.
 * @returns the results in the order of the apps
 * @throws AppregError if the run was interrupted, or if the manifest or the lock file cannot be read
 */
export async function publishApps(
  place: RegistryLocation,
  apps: readonly PreparedApp[],
  { jobs, judgeSettings, readBack, onResult }: PublishAppsOptions,
): Promise<PublishedApp[]> {
  if (apps.length === 0) return [];
  const results = new Map<PreparedApp, PublishedApp>();
  const settle = (result: PublishedApp): void => {
    results.set(result.app, result);
    onResult?.(result);
  };
  const { store } = place;
  if (isBatchStore(store)) await publishTogether({ ...place, store }, apps, judgeSettings, settle);
  else {
    const { known } = await openForApps(place);
    await signAhead(known, apps, { jobs, judgeSettings });
    const stored: StoredApp[] = [];
    await inPool(apps, Math.max(1, jobs), async (app) => {
      const one = await storeApp(known, app, judgeSettings, readBack);
      if ('planned' in one) stored.push(one);
      else settle(one);
    });
    const inOrder = apps.flatMap((app) => stored.find((one) => one.app === app) ?? []);
    for (const result of await listAndRecord(known, inOrder, judgeSettings)) settle(result);
  }
  return apps.flatMap((app) => results.get(app) ?? []);
}

/** The apps as they are planned, and the steps of all that can be published, in the order in which they are applied. */
interface PlannedApps {
  apps: PlannedApp[];
  plan: Plan<PlannedStep>;
}

/**
 * Plans each app, and writes nothing: for `--dry-run`.
 * @throws AppregError as `publishApps` does
 */
export async function planApps(
  place: RegistryLocation,
  apps: readonly PreparedApp[],
  { jobs, judgeSettings }: Pick<PublishAppsOptions, 'jobs' | 'judgeSettings'>,
): Promise<PlannedApps> {
  if (apps.length === 0) return { apps: [], plan: { steps: [] } };
  const { known, lock } = await openForApps(place);
  const plans = new Map<PreparedApp, PlannedApp>();
  await inPool(
    apps,
    Math.max(1, jobs),
    async (app) => void plans.set(app, await planPreparedApp(known, app, judgeSettings)),
  );
  const planned = apps.flatMap((app) => plans.get(app) ?? []);
  const plannable = planned.filter((one): one is PlannedVersion => one.error === null);
  const { now } = judgeSettings;
  if (plannable.length === 0) return { apps: planned, plan: { steps: [] } };
  return { apps: planned, plan: joinedPlan(plannable, now, lock) };
}

/**
 * Signs the attestations of all apps that can be published, so that nothing is written if the signing service fails.
 * Attesters sign the same version once.
 * @throws AppregError `attestation-failed` (exit 2)
 */
async function signAhead(
  place: RegistryLocation,
  apps: readonly PreparedApp[],
  { jobs, judgeSettings }: Pick<PublishAppsOptions, 'jobs' | 'judgeSettings'>,
): Promise<void> {
  const attested = apps.filter(({ artifact }) => artifact.attester !== undefined);
  await inPool(attested, Math.max(1, jobs), async (app) => {
    const { version } = await planPreparedApp(place, app, judgeSettings);
    if (version !== null) await signedPlan(version.plan);
  });
}

/** Reads what all apps share: errors of the manifest and of the lock file are errors of the run. */
async function openForApps(place: RegistryLocation): Promise<{ known: RegistryLocation; lock: StoredDocument }> {
  await readManifest(place);
  const lock = await readLockDocument(place.store);
  return { known: withStoredLock(place, lockIn(lock)), lock };
}

/** Publishes the files and the metadata of one app. An expected error is its result. @throws AppregError as `publishApps` does */
async function storeApp(
  place: RegistryLocation,
  app: PreparedApp,
  judgeSettings: JudgeSettings,
  readBack: PublishAppsOptions['readBack'],
): Promise<StoredApp | PublishedApp> {
  let last: VersionPlan | null = null;
  try {
    const published = await publishVersion(place, app, judgeSettings, {
      leavesListing: true,
      ...(readBack && { readBack: (added: NewVersion) => readBack(app, added) }),
      async onPlan(planned) {
        last = planned;
        // Written after the files of all apps, and tested before them.
        const { published, listing } = planned;
        if (listing !== null) await requireWritable([listing], place.store);
        if (!published) await place.store.requireWritable?.(LOCK_FILE, 'replace');
      },
    });
    return { app, ...published };
  } catch (error) {
    const { entry, findings } = (last as VersionPlan | null) ?? { entry: null, findings: [] };
    return { app, outcome: entry === null ? 'refused' : 'failed', error: errorOfApp(error), entry, findings };
  }
}
