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
import { recordAll } from './record-all.ts';
import { storeApp } from './store-app.ts';

export interface PublishAllOptions extends PlanAllOptions {
  /** Ends after planning: nothing is signed or written. */
  dryRun?: boolean;
  /** Fetches a stored artifact from its public URL before it is listed; not called if both are written in one step. */
  readBack?: ((entry: NewVersion) => Promise<void>) | undefined;
}

/**
 * Parts of the result of a release, as soon as it is known: the result of each app; before that, of one that is listed
 * with all others, that its files are stored; at the end of a dry run the plan of all.
 */
export type ReleasePart =
  | PublishedApp
  | { kind: 'stored'; app: PreparedApp }
  | { kind: 'plan'; plan: Plan<PlannedStep> };

/**
 * Publishes each app at its declared version: it is judged before anything is written, and nothing is listed before it is
 * stored. An app that fails stops no other. One whose version is listed with the same bytes succeeds, and is recorded if
 * the lock file does not have its sources, so an interrupted run is continued by running it again.
 * @throws AppregError as `planAll` does, and `attestation-failed` (exit 2) before anything is written
 */
export async function* publishAll(
  registry: ReleaseRegistry,
  apps: readonly PreparedApp[],
  options: PublishAllOptions,
): AsyncGenerator<ReleasePart> {
  const { jobs, judgeSettings, readBack, dryRun = false } = options;
  const planned = await planAll(registry, apps, options);
  yield* planned.failures;
  if (dryRun) {
    yield* planned.versions.map((one) => succeeded(one, 'planned'));
    return yield { kind: 'plan', plan: planned.plan };
  }
  await signAll(planned.versions, jobs);
  if (isBatchStore(registry.store)) return yield* await commitAll(registry, planned, options);

  const stored: StoredApp[] = [];
  for await (const one of asDone(planned.versions, jobs, (app) => storeApp(registry, app, judgeSettings, readBack))) {
    if (one.kind === 'stored') stored.push(one);
    yield one;
  }
  const inOrder = planned.versions.flatMap(({ app }) => stored.find((one) => one.app === app) ?? []);
  const { listed, failures } = await listNewApps(registry, inOrder, judgeSettings);
  yield* failures;
  const notRecorded = await recordAll(registry, listed, judgeSettings.now);
  yield* listed.map((one) => succeeded(one, one.isNew ? 'published' : 'already-published', notRecorded));
}

/**
 * Signs the attestations of all apps, several at a time, so that nothing is written if the signing service fails. Each is
 * signed once: the steps keep their signatures.
 * @throws AppregError `attestation-failed` (exit 2)
 */
async function signAll(versions: readonly PlannedVersion[], jobs: number): Promise<void> {
  await inPool(versions, jobs, async ({ version }) => void (await signedPlan(version.plan)));
}
