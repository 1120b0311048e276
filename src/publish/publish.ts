import type { NewVersion } from '../author/metadata.ts';
import { isAboutPath } from '../core/registry/companion.ts';
import type { AppregError } from '../core/errors/error.ts';
import { LOCK_FILE, type LockedVersion } from '../core/registry/lock-file.ts';
import { isBump } from './choose-version.ts';
import { type JudgeSettings, judgeState, newFindings } from './check-change.ts';
import type { EditStep } from './edit-step.ts';
import { type RegistryLocation, factsOf } from './registry-location.ts';
import { lockIn, lockStep, readLockDocument, withStoredLock } from './lock-step.ts';
import { type Outcome, run } from './run.ts';
import type { StoredDocument } from './stored-document.ts';
import { type VersionPlan, planVersion } from './publish-version.ts';
import { isDocumentWritten, type StepResult } from './apply-step.ts';
import type { NotesOf } from './about.ts';
import { appToPublish, describedAppToPublish, listingStep } from './listed-app.ts';
import type { Artifact } from './artifact.ts';
import type { Finding } from '../core/findings/report.ts';
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
}

/**
 * Plans a version of an app, and listing the app if the manifest does not have it: the artifact, the icon, the metadata
 * file with the version, and last the manifest, so that subscribers never see an app without its first version.
 * @throws AppregError as `appToPublish` and `planVersion` do
 */
export async function planListedVersion(
  place: RegistryLocation,
  { key, version: word, artifact, listing, notes }: VersionToPublish,
  judgeSettings: JudgeSettings,
): Promise<VersionPlan> {
  if (listing === null)
    return planVersion(place, await appToPublish(place, key), { word, artifact, notes }, judgeSettings);
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
    listing: listed,
    plan: { title: `Publish ${key} ${version.entry.version}`, steps: [...artifacts, ...icon, ...edits, listed] },
    files: [...version.files, ...(path === null ? [] : [path])],
    findings: [...findings, ...version.findings],
  };
}

/**
 * The step that lists an app in a manifest; null if it is listed.
 * @throws AppregError (exit 1) `already-exists` for another entry, and as `planListedVersion` does for the entry
 */
export function planListing(
  manifest: StoredDocument,
  listing: AppToAssemble,
  judgeSettings: JudgeSettings,
): EditStep | null {
  const step = listingStep(manifest, listing.key, listing.entry);
  if (step !== null) findingsOfListing(step, listing, judgeSettings);
  return step;
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

export interface Published extends Outcome<VersionPlan> {
  /** False if these bytes were already listed. */
  isNew: boolean;
}

export interface PublishOptions {
  dryRun?: boolean | undefined;
  /** Fetches a stored artifact from its public URL before it is listed. */
  readBack?(entry: NewVersion): Promise<void>;
  /** Called with each plan before any of it is applied, and in a dry run; an error ends it. */
  beforeWriting?(planned: VersionPlan): Promise<void>;
  /** How the version is recorded in the lock file of the store, which is not read otherwise. */
  record?: VersionRecord | undefined;
  /** Leaves it to the caller to apply the step that lists a new app (`VersionPlan.listing`). */
  leavesListing?: boolean;
  /** Called for each plan, before it is applied. */
  onPlan?(planned: VersionPlan): void;
}

/** An entry of the lock file. */
interface VersionRecord {
  locked(entry: NewVersion): LockedVersion;
  /** Whether a missing lock file is created. */
  createsLock: boolean;
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
  { dryRun = false, readBack, record, leavesListing = false, onPlan, beforeWriting }: PublishOptions = {},
): Promise<Published> {
  const make = async (): Promise<VersionPlan> => {
    const planned = await planRecorded(place, version, judgeSettings, record);
    onPlan?.(planned);
    await beforeWriting?.(planned);
    return leavesListing ? withoutListing(planned) : planned;
  };
  const { planned, results } = await run(place.store, make, {
    dryRun,
    readBack:
      readBack &&
      (({ entry, path }) =>
        async (step) =>
          step.path === path ? readBack(entry) : undefined),
    mayPlanAgain: afterRivals(version.version),
  });
  const isNew = dryRun ? !planned.published : results.some(isListing);
  return { planned, results, isNew };
}

/** True if a step wrote a document that lists the version, or the app; not its notes or its record. */
function isListing(result: StepResult): boolean {
  const { path } = result.step;
  return isDocumentWritten(result) && !isAboutPath(path) && path !== LOCK_FILE;
}

function withoutListing(planned: VersionPlan): VersionPlan {
  const steps = planned.plan.steps.filter((step) => step !== planned.listing);
  return { ...planned, plan: { ...planned.plan, steps } };
}

/** The plan of a version, which ends with its entry in the lock file; bytes that the lock file has are compared. */
async function planRecorded(
  place: RegistryLocation,
  version: VersionToPublish,
  judgeSettings: JudgeSettings,
  record: VersionRecord | undefined,
): Promise<VersionPlan> {
  const lock = record === undefined ? null : await readLockDocument(place.store);
  const known = lock === null ? place : withStoredLock(place, lockIn(lock));
  const planned = await planListedVersion(known, version, judgeSettings);
  const files = [place.manifest, ...planned.files];
  const isRecorded = lock !== null && record !== undefined && (lock.token !== null || record.createsLock);
  const step = isRecorded ? lockStep(lock, [{ app: version.key, version: record.locked(planned.entry) }]) : null;
  if (step === null) return { ...planned, files };
  return { ...planned, files, plan: { ...planned.plan, steps: [...planned.plan.steps, step] } };
}

/** Whether a version is planned again because another publisher has just stored one of its files. */
function afterRivals(word: string): (error: AppregError, planned: VersionPlan | null) => boolean {
  let lastTried = '';
  let attempt = 0;
  return ({ code }, planned) => {
    attempt += 1;
    // Another publisher may also take the number during planning, between two reads.
    const number = planned?.entry.version ?? null;
    const isRefused = code === 'immutable';
    // A companion file that another publisher has just stored is looked at: it may describe the same artifact.
    if (isRefused && attempt <= COMPANIONS && planned !== null && hasCompanions(planned)) return true;
    const taken = isRefused && (number === null || number !== lastTried);
    if (!taken || !isBump(word) || attempt === ATTEMPTS) return false;
    if (number !== null) lastTried = number;
    return true;
  };
}

/** True if the plan stores files beside the artifact. */
function hasCompanions({ path, plan }: VersionPlan): boolean {
  return plan.steps.some((step) => step.kind === 'create' && step.path !== path);
}
