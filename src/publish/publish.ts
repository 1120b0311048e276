import type { NewVersion } from '../author/metadata.ts';
import { isAboutPath } from '../core/about/about-url.ts';
import { isAppregError } from '../core/errors.ts';
import { applyPlan, type ApplyOptions } from './apply-plan.ts';
import { isBump } from './choose-version.ts';
import type { JudgeSettings } from './check-change.ts';
import type { RegistryLocation } from './registry-location.ts';
import type { CreateStep, Step } from './plan.ts';
import { signedPlan } from './sign-plan.ts';
import { planListedVersion, type VersionToPublish } from './plan-listed-version.ts';
import type { VersionPlan } from './publish-version.ts';
import type { StepResult } from './step.ts';

/** How often an increment is recomputed after conflicts. */
const ATTEMPTS = 50;
/** The number of companion files of an artifact: another publisher may store each of them first. */
const COMPANIONS = 2;

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
 * Plans a version and applies the plan (spec 4.4). Concurrent increments each get a distinct version. Its files are
 * read here, also if the caller has read the app before: others may have published since then.
 * @throws AppregError as `planListedVersion` and `applyPlan` do
 */
export async function publish(
  place: RegistryLocation,
  version: VersionToPublish,
  judgeSettings: JudgeSettings,
  { readBack, addedSteps, ...others }: PublishOptions = {},
): Promise<Published> {
  let lastTried = '';
  for (let attempt = 1; ; attempt++) {
    let planned: VersionPlan | null = null;
    try {
      // Drop cached reads to see concurrent writes.
      if (attempt > 1) place.store.forget?.();
      planned = await planListedVersion(place, version, judgeSettings);
      const { entry, path } = planned;
      const plan = await signedPlan(planned.plan);
      planned = { ...planned, plan };
      await place.store.tidy?.([place.manifest, ...planned.files]);
      const readBackStep = readBack && {
        readBack: async (step: CreateStep) => (step.path === path ? readBack(entry) : undefined),
      };
      const fullPlan = { ...plan, steps: [...plan.steps, ...(addedSteps?.(planned) ?? [])] };
      const results = await applyPlan(fullPlan, place.store, { ...others, ...readBackStep });
      const isNew = results.some(
        ({ step, outcome }) => outcome === 'edited' && !isAboutPath(step.path) && plan.steps.includes(step),
      );
      return { planned, results, isNew };
    } catch (error) {
      // Another publisher may also take the number during planning, between two reads.
      const number = planned?.entry.version ?? null;
      const isRefused = isAppregError(error) && error.code === 'immutable';
      // A companion file that another publisher has just stored is looked at: it may describe the same artifact.
      if (isRefused && attempt <= COMPANIONS && planned !== null && hasCompanions(planned)) continue;
      const taken = isRefused && (number === null || number !== lastTried);
      if (!taken || !isBump(version.version) || attempt === ATTEMPTS) throw error;
      if (number !== null) lastTried = number;
    }
  }
}

/** True if the plan stores files beside the artifact. */
function hasCompanions({ path, plan }: VersionPlan): boolean {
  return plan.steps.some((step) => step.kind === 'create' && step.path !== path);
}
