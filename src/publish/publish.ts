import type { NewVersion } from '../author/metadata.ts';
import { isAppregError } from '../core/errors.ts';
import { applyPlan, type ApplyOptions } from './apply-plan.ts';
import { isBump } from './choose-version.ts';
import type { JudgeSettings } from './check-change.ts';
import type { RegistryLocation } from './registry-location.ts';
import type { Artifact } from './artifact.ts';
import type { AppToAssemble } from './assemble.ts';
import type { CreateStep, Step } from './plan.ts';
import { planListedVersion } from './plan-listed-version.ts';
import type { VersionPlan } from './publish-version.ts';
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
  /** The description with which the app is listed if the manifest does not have it. */
  listing?: AppToAssemble | null;
  /** Steps that follow those of the plan, in the same transaction. */
  addedSteps?(planned: VersionPlan): readonly Step[];
}

/**
 * Plans a version and applies the plan (spec 4.4). Concurrent increments each get a distinct version. The app is read
 * here, also if the caller has read it before: others may have published since then.
 * @throws AppregError as `planListedVersion` and `applyPlan` do
 */
export async function publish(
  place: RegistryLocation,
  key: string,
  word: string,
  artifact: Artifact,
  judgeSettings: JudgeSettings,
  { readBack, addedSteps, listing = null, ...others }: PublishOptions = {},
): Promise<Published> {
  let lastTried = '';
  for (let attempt = 1; ; attempt++) {
    let planned: VersionPlan | null = null;
    try {
      // Drop cached reads to see concurrent writes.
      if (attempt > 1) place.store.forget?.();
      planned = await planListedVersion(place, key, listing, word, artifact, judgeSettings);
      const { entry, path } = planned;
      await place.store.tidy?.([place.manifest, ...planned.files]);
      const readBackStep = readBack && {
        readBack: async (step: CreateStep) => (step.path === path ? readBack(entry) : undefined),
      };
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
