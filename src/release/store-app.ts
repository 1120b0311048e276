import type { NewVersion } from '../author/metadata.ts';
import type { JudgeSettings } from '../publish/check-change.ts';
import { lockIn, readLockDocument, withStoredLock } from '../publish/lock-step.ts';
import type { VersionPlan } from '../publish/version-plan.ts';
import type { RegistryLocation } from '../publish/registry-location.ts';
import { type Published, VersionAttempts } from '../publish/version-attempts.ts';
import type { PreparedApp } from './evaluate.ts';
import { failed, type PlannedVersion, type PublishedApp, type StoredApp } from './outcome.ts';
import { planOf } from './plan-all.ts';

/**
 * Stores the files and the metadata of one app, as planned; or as planned again, if one of them has changed. An expected
 * error is its result.
 * @throws AppregError as `errorOfApp` does
 */
export async function storeApp(
  place: RegistryLocation,
  { app, version }: PlannedVersion,
  judgeSettings: JudgeSettings,
  readBack: ((entry: NewVersion) => Promise<void>) | undefined,
): Promise<StoredApp | PublishedApp> {
  const attempts = new VersionAttempts(place.store, app.version, { readBack });
  try {
    return stored(app, await storePlanned(attempts, version, () => planAgain(place, app, judgeSettings)));
  } catch (error) {
    return failed({ app, version: attempts.lastPlan ?? version }, error);
  }
}

async function storePlanned(
  attempts: VersionAttempts,
  first: VersionPlan,
  again: () => Promise<VersionPlan>,
): Promise<Published> {
  for (let planned: VersionPlan | null = first; ; planned = null) {
    try {
      return await attempts.apply(planned ?? (await again()));
    } catch (error) {
      const refusal = attempts.refusalOf(error);
      if (refusal !== null) throw refusal;
    }
  }
}

function stored(app: PreparedApp, { planned, results, isNew }: Published): StoredApp {
  const written = results.filter(({ outcome }) => outcome === 'created' || outcome === 'edited');
  return { kind: 'stored', app, version: planned, isNew, written: written.map(({ step }) => step.path) };
}

/** Also with the versions that others have recorded since the first plan. */
async function planAgain(
  place: RegistryLocation,
  app: PreparedApp,
  judgeSettings: JudgeSettings,
): Promise<VersionPlan> {
  const known = withStoredLock(place, lockIn(await readLockDocument(place.store)));
  return planOf(known, app, judgeSettings);
}
