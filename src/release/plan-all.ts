import { aboutPath } from '../core/registry/companion.ts';
import { capitalized, counted } from '../core/text/text.ts';
import { member } from '../core/json/json.ts';
import { LOCK_FILE } from '../core/registry/lock-file.ts';
import { manifestApps, metadataUrlOf } from '../core/registry/manifest.ts';
import { artifactPath } from '../publish/artifact.ts';
import type { JudgeSettings } from '../publish/check-change.ts';
import type { AppToAssemble } from '../publish/described-app.ts';
import type { EditStep } from '../publish/edit-step.ts';
import { lockIn, withStoredLock } from '../publish/lock-step.ts';
import { iconPath } from '../publish/parts/icon.ts';
import type { Plan, PlannedStep } from '../publish/plan.ts';
import { planVersion, readApp } from '../publish/publish-version.ts';
import { type RegistryLocation, readManifest } from '../publish/registry-location.ts';
import { requireWritable } from '../publish/require-writable.ts';
import type { StoredDocument } from '../publish/stored-document.ts';
import type { VersionPlan } from '../publish/version-plan.ts';
import { digestOfBytes } from '../store/bytes.ts';
import { asDone } from '../store/pool.ts';
import { type BatchStore, isBatchStore, type Store } from '../store/store.ts';
import type { PreparedApp } from './evaluate.ts';
import { listAll } from './list-all.ts';
import { lockParts, type Locks, readLocks, RECORDING, RECORDING_DESCRIPTIONS } from './locks.ts';
import { failed, type PlannedVersion, type PublishedApp, refused } from './outcome.ts';
import {
  type EntriesPlan,
  iconSteps,
  notPublished,
  type PlannedEntry,
  planEntries,
  type PublishedEntry,
  titleOfEntries,
} from './plan-entries.ts';

/** The registry that a release publishes to. */
export interface ReleaseRegistry extends RegistryLocation {
  /** The folder of the workspace, if it has a lock file and the registry is in a store elsewhere. */
  workspace: Store | null;
}

export interface PlanAllOptions {
  /** Number of apps that are planned at a time. */
  jobs: number;
  judgeSettings: JudgeSettings;
  /** Tests that every file can be written (default). */
  testsWritable?: boolean;
  /** Listed apps whose texts and icons are published, as far as their folders changed (default: none). */
  described?: readonly AppToAssemble[];
}

/** The plan of a release. */
export interface ReleasePlan extends EntriesPlan {
  /** The apps that can be published, in the order of the apps. */
  versions: PlannedVersion[];
  /** The results of the others. */
  failures: PublishedApp[];
  /** The steps of all that can be published. */
  plan: Plan<PlannedStep>;
  /** The step that lists all new apps, and changes the entries of others; null if there are none. */
  listingStep: EditStep | null;
}

/**
 * Plans all apps on one state of the registry, and writes nothing.
 * @throws AppregError if the manifest or a lock file cannot be read, if the lock file of the workspace cannot be written,
 * or if the run was interrupted
 */
export async function planAll(
  registry: ReleaseRegistry,
  apps: readonly PreparedApp[],
  options: PlanAllOptions,
): Promise<ReleasePlan> {
  const { jobs, judgeSettings, testsWritable = true, described = [] } = options;
  const store = isBatchStore(registry.store)
    ? await readAhead({ ...registry, store: registry.store }, apps, described)
    : registry.store;
  const manifest = await readManifest({ ...registry, store });
  const locks = await readLocks({ store, workspace: registry.workspace });
  const lock = lockIn(locks.lock);
  const known = withStoredLock({ ...registry, store }, lock);
  const planned: PlannedVersion[] = [];
  const failures: PublishedApp[] = [];
  for await (const one of asDone(apps, jobs, (app) => planApp(known, app, judgeSettings)))
    if ('version' in one) planned.push(one);
    else failures.push(one);
  const inOrder = apps.flatMap((app) => planned.find((one) => one.app === app) ?? []);
  const { entries, refused: refusedEntries } = await planEntries(known, manifest, lock, described, options);
  const all = joined(inOrder, entries, manifest, locks, judgeSettings.now);
  const { versions: unwritable, entries: unwritableEntries } = testsWritable
    ? await unwritableApps(registry, all)
    : { versions: [], entries: [] };
  if (unwritable.length === 0 && unwritableEntries.length === 0) return { ...all, failures, refused: refusedEntries };
  const left = inOrder.filter(({ app }) => !unwritable.some((one) => one.app === app));
  const leftEntries = entries.filter(({ app }) => !unwritableEntries.some((one) => one.app === app));
  return {
    ...joined(left, leftEntries, manifest, locks, judgeSettings.now),
    failures: [...failures, ...unwritable],
    refused: [...refusedEntries, ...unwritableEntries],
  };
}

/** Plans one app; an expected error is its result. */
async function planApp(
  place: RegistryLocation,
  app: PreparedApp,
  judgeSettings: JudgeSettings,
): Promise<PlannedVersion | PublishedApp> {
  try {
    return { app, version: await planOf(place, app, judgeSettings) };
  } catch (error) {
    return refused(app, error);
  }
}

/** Plans the version of one app, without the step that lists it. @throws AppregError as `readApp` and `planVersion` do */
export async function planOf(
  place: RegistryLocation,
  app: PreparedApp,
  judgeSettings: JudgeSettings,
): Promise<VersionPlan> {
  const planned = await planVersion(place, await readApp(place, app), app, judgeSettings);
  const steps = planned.plan.steps.filter((step) => step !== planned.listingStep);
  return { ...planned, plan: { ...planned.plan, steps } };
}

/** The plans as one: the files of each app, one edit of the manifest, one edit of each lock file. */
function joined(
  versions: PlannedVersion[],
  entries: PlannedEntry[],
  manifest: StoredDocument,
  locks: Locks,
  now: string,
): Omit<ReleasePlan, 'failures' | 'refused'> {
  const listingStep = listAll(manifest, versions, entries);
  const steps = [
    ...versions.flatMap(({ version }) => version.plan.steps),
    ...iconSteps(entries),
    ...(listingStep === null ? [] : [listingStep]),
    ...lockParts(locks, versions, entries, now).flatMap((part) => part.steps),
  ];
  return { versions, entries, plan: { title: titleFor(versions, entries), steps }, listingStep };
}

function titleFor(planned: readonly PlannedVersion[], entries: readonly PlannedEntry[]): string {
  const fresh = planned.filter(({ version }) => !version.published);
  const update = titleOfEntries(entries);
  if (fresh.length === 0 && update === null) return planned.length === 0 ? RECORDING_DESCRIPTIONS : RECORDING;
  const titleOf = (apps: string): string =>
    capitalized([...(fresh.length === 0 ? [] : [`publish ${apps}`]), ...(update === null ? [] : [update])].join('; '));
  const title = titleOf(fresh.map(({ app: { key, version } }) => `${key} ${version}`).join(', '));
  return title.length <= 72 ? title : titleOf(counted(fresh.length, 'app'));
}

/**
 * The apps with a file that cannot be written.
 * @throws AppregError if it is the lock file of the workspace, which has all of them
 */
async function unwritableApps(
  { store, workspace }: ReleaseRegistry,
  { versions, entries, listingStep: manifestStep, plan }: Omit<ReleasePlan, 'failures' | 'refused'>,
): Promise<{ versions: PublishedApp[]; entries: PublishedEntry[] }> {
  const stepsOf = (role: PlannedStep['role']): PlannedStep[] => plan.steps.filter((step) => step.role === role);
  if (workspace !== null) await requireWritable(stepsOf('workspace-lock'), workspace);
  const found: PublishedApp[] = [];
  for (const one of versions) {
    const { listingStep, plan: own } = one.version;
    const steps = [...own.steps, ...(listingStep === null ? [] : [listingStep]), ...stepsOf('lock')];
    await requireWritable(steps, store).catch((error: unknown) => void found.push(failed(one, error)));
  }
  const changed: PublishedEntry[] = [];
  for (const one of entries) {
    const steps = [...iconSteps([one]), ...(one.part.edit === null ? [] : [manifestStep ?? one.part.edit])];
    await requireWritable(steps, store).catch((error: unknown) => void changed.push(notPublished(one, error)));
  }
  return { versions: found, entries: changed };
}

/** The same store, with the files that the plans need in memory. */
async function readAhead(
  { store, manifest, pathOf }: RegistryLocation & { store: BatchStore },
  apps: readonly PreparedApp[],
  described: readonly AppToAssemble[],
): Promise<Store> {
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
  const listings = apps.flatMap(({ listing }) => listing ?? []);
  const icons = [...listings, ...described].flatMap((app) => iconPath(app) ?? []);
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
