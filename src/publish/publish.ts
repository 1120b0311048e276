import type { NewVersion } from '../author/metadata.ts';
import { isAboutPath } from '../core/attestation/companion.ts';
import { isAppregError } from '../core/errors.ts';
import { applyPlan, type ApplyOptions } from './apply-plan.ts';
import { isBump } from './choose-version.ts';
import { type JudgeSettings, judgeState, newFindings } from './check-change.ts';
import type { EditStep } from './edit-step.ts';
import { type RegistryLocation, factsOf } from './registry-location.ts';
import type { CreateStep, Step } from './plan.ts';
import { signedPlan } from './companion.ts';
import { type VersionPlan, planVersion } from './publish-version.ts';
import { isDocumentWritten, type StepResult } from './apply-step.ts';
import type { NotesOf } from './about.ts';
import { appToPublish, describedAppToPublish, type ListedApp } from './listed-app.ts';
import type { Artifact } from './artifact.ts';
import type { Finding } from '../core/engine/report.ts';
import { appFactsOf, type AppToAssemble, iconPath, iconStep } from './assemble.ts';

/** A version that is to be published. */
export interface VersionToPublish {
  /** Of the app. */
  key: string;
  /** A semantic version; or major, minor or patch. */
  version: string;
  artifact: Artifact;
  /** The description with which the app is listed if the manifest does not have it; null if it has none. */
  listing: AppToAssemble | null;
  /** The release notes of a version, in Markdown; null or absent for none. */
  notes?: NotesOf | undefined;
  /** The app as it was read before: what has not changed since then is not parsed again. */
  known?: ListedApp;
}

/**
 * Plans a version of an app, and listing the app if the manifest does not have it: the artifact, the icon, the metadata
 * file with the version, and last the manifest, so that subscribers never see an app without its first version.
 * @throws AppregError as `appToPublish` and `planVersion` do
 */
export async function planListedVersion(
  place: RegistryLocation,
  { key, version: word, artifact, listing, known, notes }: VersionToPublish,
  judgeSettings: JudgeSettings,
): Promise<VersionPlan> {
  if (listing === null)
    return planVersion(place, await appToPublish(place, key, known), { word, artifact, notes }, judgeSettings);
  const { app, listing: listed } = await describedAppToPublish(place, key, listing.entry);
  const version = await planVersion(place, app, { word, artifact, notes }, judgeSettings);
  if (listed === null) return version;
  const findings = findingsOfListing(listed, listing, judgeSettings);
  const path = iconPath(listing);
  const icon = iconStep(listing, path === null ? null : await place.store.read(path));
  const [artifacts, edits] = [
    version.plan.steps.filter(({ kind }) => kind === 'create'),
    version.plan.steps.filter(({ kind }) => kind !== 'create'),
  ];
  return {
    ...version,
    published: false,
    plan: { title: `Publish ${key} ${version.entry.version}`, steps: [...artifacts, ...icon, ...edits, listed] },
    files: [...version.files, ...(path === null ? [] : [path])],
    findings: [...findings, ...version.findings],
  };
}

/**
 * What the entry of a new app adds to a manifest, such as a key that looks like another one: `planVersion` only judges
 * what the version adds.
 * @throws AppregError (exit 1) that names the rules, if the entry would introduce an error
 */
function findingsOfListing({ from, to }: EditStep, listing: AppToAssemble, judgeSettings: JudgeSettings): Finding[] {
  // The version is listed in the same plan.
  const settings = {
    ...judgeSettings,
    severities: { ...judgeSettings.severities, 'no-valid-versions': 'off' } as const,
  };
  return newFindings(
    () => judgeState({ manifest: factsOf(from), app: null }, settings),
    { manifest: factsOf(to), app: appFactsOf(listing) },
    settings,
  );
}

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
  addedSteps?(planned: VersionPlan): Promise<readonly Step[]>;
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
      const fullPlan = { ...plan, steps: [...plan.steps, ...((await addedSteps?.(planned)) ?? [])] };
      const results = await applyPlan(fullPlan, place.store, { ...others, ...readBackStep });
      const isNew = results.some(
        (result) => isDocumentWritten(result) && !isAboutPath(result.step.path) && plan.steps.includes(result.step),
      );
      return { planned: { ...planned, plan: fullPlan }, results, isNew };
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
