import type { NewVersion } from '../author/metadata.ts';
import type { Plan, PlannedStep } from '../publish/plan.ts';
import { signedPlan } from '../publish/sign.ts';
import { inPool, asDone } from '../store/pool.ts';
import { isBatchStore } from '../store/store.ts';
import { commitAll } from './commit-all.ts';
import type { PreparedApp } from './evaluate.ts';
import { listNewApps } from './list-all.ts';
import { type PlannedVersion, type PublishedApp, type StoredApp, succeeded } from './outcome.ts';
import { planAll, type PlanAllOptions, type ReleaseRegistry } from './plan-all.ts';
import { publishedEntry, type PublishedEntry, storeIcons } from './plan-entries.ts';
import { recordAll } from './record-all.ts';
import { storeApp } from './store-app.ts';

export interface PublishAllOptions extends PlanAllOptions {
  /** Ends after planning: nothing is signed or written. */
  dryRun?: boolean;
  /** Fetches a stored artifact from its public URL before it is listed; not called if both are written in one step. */
  readBack?: ((entry: NewVersion) => Promise<void>) | undefined;
}

/** Receives what happens to each app, as soon as it is known. */
export interface PublishListener {
  /** Its files are stored; it is not listed yet, unless it was before. */
  stored(app: PreparedApp): void;
  /** Its result is known. */
  ended(result: PublishedApp): void;
}

export interface PublishedAll {
  /** As soon as they were known, the first one first. */
  results: PublishedApp[];
  /** The results for the texts and icons of listed apps. */
  entries: PublishedEntry[];
  /** Of a dry run; otherwise null. */
  plan: Plan<PlannedStep> | null;
}

/**
 * Publishes each app at its declared version: it is judged before anything is written, and nothing is listed before it is
 * stored. An app that fails stops no other. One whose version is listed with the same bytes succeeds, and is recorded if
 * the lock file does not have its sources, so an interrupted run is continued by running it again.
 * @throws AppregError as `planAll` does, and `attestation-failed` (exit 2) before anything is written
 */
export async function publishAll(
  registry: ReleaseRegistry,
  apps: readonly PreparedApp[],
  options: PublishAllOptions,
  listener: PublishListener,
): Promise<PublishedAll> {
  const { jobs, judgeSettings, readBack, dryRun = false } = options;
  const results: PublishedApp[] = [];
  const end = (...some: readonly PublishedApp[]): void => {
    results.push(...some);
    for (const one of some) listener.ended(one);
  };
  const planned = await planAll(registry, apps, options);
  end(...planned.failures);
  if (dryRun) {
    end(...planned.versions.map((one) => succeeded(one, 'planned')));
    const entries = planned.entries.map((one) => publishedEntry(one, { isPlanned: true }));
    return { results, entries: [...planned.refused, ...entries], plan: planned.plan };
  }
  await signAll(planned.versions, jobs);
  if (isBatchStore(registry.store)) {
    const committed = await commitAll(registry, planned, options);
    end(...committed.results);
    return { results, entries: [...planned.refused, ...committed.entries], plan: null };
  }
  const stored: StoredApp[] = [];
  for await (const one of asDone(planned.versions, jobs, (app) => storeApp(registry, app, judgeSettings, readBack)))
    if (one.kind === 'stored') {
      stored.push(one);
      listener.stored(one.app);
    } else end(one);
  const inOrder = planned.versions.flatMap(({ app }) => stored.find((one) => one.app === app) ?? []);
  const icons = await storeIcons(registry, planned, jobs);
  const { listed, failures, entries, refused } = await listNewApps(registry, inOrder, icons.entries, judgeSettings);
  end(...failures);
  const notRecorded = await recordAll(registry, listed, entries, judgeSettings.now);
  end(...listed.map((one) => succeeded(one, one.isNew ? 'published' : 'already-published', notRecorded)));
  const published = entries.map((one) => publishedEntry(one, { notRecorded }));
  return { results, entries: [...planned.refused, ...icons.refused, ...refused, ...published], plan: null };
}

/**
 * Signs the attestations of all apps, several at a time, so that nothing is written if the signing service fails. Each is
 * signed once: each step keeps its signature (`SignStep.sign`), for the plan that is then stored.
 * @throws AppregError `attestation-failed` (exit 2)
 */
async function signAll(versions: readonly PlannedVersion[], jobs: number): Promise<void> {
  await inPool(versions, jobs, async ({ version }) => void (await signedPlan(version.plan)));
}
