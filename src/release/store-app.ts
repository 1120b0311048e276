import type { NewVersion } from '../author/metadata.ts';
import type { JudgeSettings } from '../publish/check-change.ts';
import { lockIn, readLockDocument, withStoredLock } from '../publish/lock-step.ts';
import { runVersion, type VersionPlan } from '../publish/publish-version.ts';
import type { RegistryLocation } from '../publish/registry-location.ts';
import { startingWith } from '../publish/run.ts';
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
  let last = version;
  const again = async (): Promise<VersionPlan> => {
    const known = withStoredLock(place, lockIn(await readLockDocument(place.store)));
    last = await planOf(known, app, judgeSettings);
    return last;
  };
  try {
    const { planned, results, isNew } = await runVersion(place, app.version, startingWith(version, again), {
      readBack,
    });
    const written = results.filter(({ outcome }) => outcome === 'created' || outcome === 'edited');
    return { kind: 'stored', app, version: planned, isNew, written: written.map(({ step }) => step.path) };
  } catch (error) {
    return failed({ app, version: last }, error);
  }
}
