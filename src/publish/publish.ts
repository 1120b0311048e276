import type { NewVersion } from '../author/metadata.ts';
import { isAppregError } from '../core/errors.ts';
import { applyPlan, type ApplyOptions } from './apply-plan.ts';
import { isBump } from './choose-version.ts';
import type { JudgeSettings } from './check-change.ts';
import type { RegistryLocation } from './registry-location.ts';
import { appToPublish } from './app-to-publish.ts';
import type { Artifact } from './artifact.ts';
import type { Step } from './plan.ts';
import { planVersion, type VersionPlan } from './publish-version.ts';
import type { StepResult } from './step.ts';

/** How often an increment is recomputed after conflicts. */
const ATTEMPTS = 50;

export interface Published {
  planned: VersionPlan;
  results: StepResult[];
  /** False if these bytes were already listed. */
  isNew: boolean;
}

export interface PublishOptions extends Omit<ApplyOptions, 'readBack'> {
  /** Fetches a stored artifact from its public URL before it is listed. */
  readBack?(entry: NewVersion): Promise<void>;
  /** Steps that follow those of the plan, in the same transaction. */
  addedSteps?(planned: VersionPlan): readonly Step[];
}

/**
 * Plans a version and applies the plan (spec 4.4). Concurrent increments each get a distinct version. The app is read
 * here, also if the caller has read it before: others may have published since then.
 * @throws AppregError as `planVersion` and `applyPlan` do
 */
export async function publish(
  place: RegistryLocation,
  key: string,
  word: string,
  artifact: Artifact,
  judgeSettings: JudgeSettings,
  { readBack, addedSteps, ...others }: PublishOptions = {},
): Promise<Published> {
  let lastTried = '';
  for (let attempt = 1; ; attempt++) {
    let planned: VersionPlan | null = null;
    try {
      // Drop cached reads to see concurrent writes.
      if (attempt > 1) place.store.forget?.();
      planned = await planVersion(place, await appToPublish(place, key), word, artifact, judgeSettings);
      const { entry } = planned;
      await place.store.tidy?.([place.manifest, ...planned.files]);
      const readBackStep = readBack && { readBack: () => readBack(entry) };
      const { plan } = planned;
      const fullPlan = { ...plan, steps: [...plan.steps, ...(addedSteps?.(planned) ?? [])] };
      const results = await applyPlan(fullPlan, place.store, { ...others, ...readBackStep });
      const isNew = results.some(({ step, outcome }) => outcome === 'edited' && plan.steps.includes(step));
      return { planned, results, isNew };
    } catch (error) {
      // Another publisher may also take the number during planning, between two reads.
      const version = planned?.entry.version ?? null;
      const taken = isAppregError(error) && error.code === 'immutable' && (version === null || version !== lastTried);
      if (!taken || !isBump(word) || attempt === ATTEMPTS) throw error;
      if (version !== null) lastTried = version;
    }
  }
}
