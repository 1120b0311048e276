import { isListedAs, type NewVersion } from '../author/metadata.ts';
import { AppregError } from '../core/errors/error.ts';
import { sameDigest } from '../core/registry/baseline.ts';
import { LOCK_FILE, type Provenance } from '../core/registry/lock-file.ts';
import { message, safe } from '../core/text/message.ts';
import { shorten } from '../core/text/text.ts';
import { sha256Of } from '../store/bytes.ts';
import type { Artifact, ChosenVersion } from './artifact.ts';
import type { AttemptOptions } from './attempts.ts';
import type { JudgeSettings, RegistryState } from './check-change.ts';
import { versionSeverities } from './check-content.ts';
import { chosenVersion } from './choose-version.ts';
import type { AppToAssemble } from './described-app.ts';
import { type AppToPublish, appToPublish, describedAppToPublish } from './listed-app.ts';
import { lockedVersion, lockIn, readLockDocument, withStoredLock } from './lock-step.ts';
import type { NotesOf } from './parts/about.ts';
import { artifactPart } from './parts/artifact.ts';
import { attestationPart, requireAttestation } from './parts/attestation.ts';
import { billPart } from './parts/bill.ts';
import { iconPart, iconPath } from './parts/icon.ts';
import { type ListingPart, listingPart } from './parts/listing.ts';
import { lockPart } from './parts/lock.ts';
import { metadataPart } from './parts/metadata.ts';
import { notesPart } from './parts/notes.ts';
import { joined, judgeParts, NOTHING, type Part } from './parts/part.ts';
import { workspaceLockPart } from './parts/workspace-lock.ts';
import { changedLines, type PlannedStep } from './plan.ts';
import { appFactsWith, factsOf, type RegistryLocation } from './registry-location.ts';
import { likenessOf } from './same-content.ts';
import { describeLineEnds, LINE_ENDS_ADVICE, type Likeness } from '../core/release/state.ts';
import type { StoredDocument } from './stored-document.ts';
import { type Published, VersionAttempts } from './version-attempts.ts';
import type { VersionPlan } from './version-plan.ts';

/** Publishes a version of an app (spec 4.4): parts, each of which knows its files, in one plan. */

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
  /** The inputs of its build, for the lock files; null or absent if that is unknown. */
  provenance?: Provenance | null;
}

export interface PublishOptions extends AttemptOptions {
  /** Records the version in the lock file of the store, which is not read otherwise. */
  recordsInStore?: boolean;
}

/**
 * Publishes a version: reads what is published now; chooses the number, refuses what looks like a mistake, makes the parts
 * and judges them (`planVersion`); then requires that all can be written, signs, stores and records (`storeAndRecord`). All
 * of it is repeated if a document changes before the first one is written, or if another publisher takes the number, so
 * concurrent increments each get a distinct version.
 * @throws AppregError as `readApp`, `planVersion` and `storeAndRecord` do, and if only the lock file of the workspace is
 * not written
 */
export async function publishVersion(
  location: RegistryLocation,
  wanted: VersionToPublish,
  judgeSettings: JudgeSettings,
  options: PublishOptions = {},
): Promise<Published> {
  const attempts = new VersionAttempts(location.store, wanted.version, options);
  let published: Published | null = null;
  while (published === null)
    try {
      const app = await readApp(location, wanted, options);
      const planned = await planVersion(location, app, wanted, judgeSettings);
      published = await attempts.apply(planned);
    } catch (error) {
      const refusal = attempts.refusalOf(error);
      if (refusal !== null) throw refusal;
    }
  if (published.notRecorded !== null) throw publishedOnly(published.planned, published.notRecorded);
  return published;
}

/** The error for a version that the lock file of the workspace does not have. */
function publishedOnly({ subject }: VersionPlan, error: AppregError): AppregError {
  const paths = error.written?.notStored ?? [];
  const summary = message`${subject} is published. ${paths.join(', ')} does not have it yet: ${safe(error.summary)}`;
  return error.with({ summary });
}

/** An app, and the lock files that record its versions; null or absent for those that do not. */
interface OpenApp extends AppToPublish {
  lock?: StoredDocument | null;
  workspaceLock?: StoredDocument | null;
}

/** Reads what is published of an app. @throws AppregError as `appToPublish` does, and for an invalid lock file */
export async function readApp(
  place: RegistryLocation,
  { key, listing }: Pick<VersionToPublish, 'key' | 'listing'>,
  { recordsInStore = false, workspace = null }: Pick<PublishOptions, 'workspace' | 'recordsInStore'> = {},
): Promise<OpenApp> {
  const lock = recordsInStore ? await readLockDocument(place.store) : null;
  const workspaceLock = workspace && (await readLockDocument(workspace));
  const app =
    listing === null ? await appToPublish(place, key) : await describedAppToPublish(place, key, listing.entry);
  return { ...app, lock, workspaceLock };
}

/**
 * Plans a version in an order that never exposes a partial state: the artifact with its companions, the icon of a new app,
 * the notes, the metadata file with the version, the manifest with the new app, and the lock files.
 * @throws AppregError (exit 1) if the version is published with other bytes, or a rule would be violated
 */
export async function planVersion(
  location: RegistryLocation,
  app: OpenApp,
  wanted: Omit<VersionToPublish, 'key' | 'listing'> & Partial<Pick<VersionToPublish, 'listing'>>,
  judgeSettings: JudgeSettings,
): Promise<VersionPlan> {
  const place = app.lock ? withStoredLock(location, lockIn(app.lock)) : location;
  const { now, allow } = judgeSettings;
  const version = await chosenVersion(place, app, wanted, allow?.same?.includes(app.key));
  const severities = versionSeverities(judgeSettings.severities, version.entry.version);
  await refuseOtherBytes(place, version);
  const metadata = metadataPart(app, version, allow);
  if (version.listed === null && judgeSettings.requiresAttestation === true)
    await requireAttestation(place, version, severities);
  const [icon, listing] = app.isListed ? [NOTHING, NOT_LISTING] : await newAppParts(place, app, wanted.listing ?? null);
  const parts = [
    await artifactPart(place, version),
    await billPart(place, version),
    await attestationPart(place, version),
    icon,
    await notesPart(place, version, { metadata: app.metadata.path, notesOf: wanted.notes, now }),
    metadata,
    listing,
    ...lockParts(app, version, wanted, now),
  ];
  // A new app is listed with its version.
  const ofNewApp = app.isListed ? severities : ({ ...severities, 'no-valid-versions': 'off' } as const);
  const findings = judgeParts(parts, stateOf(app), { ...judgeSettings, severities: ofNewApp }, app);
  const planned = joined(parts);
  const entry = version.listed ?? version.entry;
  const subject = `${app.key} ${entry.version}`;
  const published = version.listed !== null && app.isListed;
  return {
    entry,
    published,
    plan: { title: published ? titleOfAddition(subject, planned.steps) : `Publish ${subject}`, steps: planned.steps },
    listingStep: listing.edit,
    skipped: version.skipped,
    path: version.path,
    files: planned.files,
    subject,
    lines: () => metadata.edit && changedLines(app.metadata.text, metadata.edit.to.text),
    findings,
  };
}

const NOT_LISTING: ListingPart = { ...NOTHING, edit: null };

/** The icon and the entry of an app that the manifest does not have. */
async function newAppParts(
  { store }: RegistryLocation,
  { key, manifest }: AppToPublish,
  listing: AppToAssemble | null,
): Promise<[Part, ListingPart]> {
  if (listing === null) throw new Error(`${key} is not listed, and has no description`);
  const path = iconPath(listing);
  return [iconPart(listing, path === null ? null : await store.read(path)), listingPart(manifest, listing)];
}

/** A lock file is created in the store by a version whose sources are known, since `release` compares with it. */
function lockParts(
  { lock = null, workspaceLock = null }: OpenApp,
  { key, listed, entry }: ChosenVersion,
  { artifact, provenance = null }: Pick<VersionToPublish, 'artifact' | 'provenance'>,
  now: string,
): Part[] {
  const recorded = [{ app: key, version: lockedVersion({ artifact, provenance }, listed ?? entry, now) }];
  const isInStore = provenance !== null || (lock !== null && lock.token !== null);
  return [lockPart(isInStore ? lock : null, recorded), workspaceLockPart(workspaceLock, recorded)];
}

/** The subject of the commit for files that are added to a version that is listed. */
function titleOfAddition(subject: string, steps: readonly PlannedStep[]): string {
  if (steps.some(({ role }) => role === 'artifact')) return `Restore the artifact of ${subject}`;
  const added = steps.filter(({ role }) => role === 'companion' || role === 'notes').map(({ what }) => what);
  return added.length === 0 ? `Record ${subject}` : `Add ${added.join(', ')}`;
}

/** The registry before the change, restricted to this app. */
function stateOf({ key, manifest, metadata, metadataUrl }: AppToPublish): RegistryState {
  return { manifest: factsOf(manifest), app: appFactsWith(key, factsOf(metadata, metadataUrl), { url: null }) };
}

/** @throws AppregError `immutable` (exit 1) if the version is listed with the same content, or was published with other bytes */
async function refuseOtherBytes(place: RegistryLocation, version: ChosenVersion): Promise<void> {
  const { key, listed, entry } = version;
  const { artifactChecksum: checksum } = entry;
  if (listed !== null) {
    const likeness = await likenessToListed(place, listed, version);
    if (likeness !== null) throw alike(key, listed, checksum, likeness);
    return;
  }
  const firstSeen = place.firstSeen?.(key, entry.version) ?? checksum;
  if (!sameDigest(firstSeen, checksum)) throw publishedBefore(key, entry, firstSeen);
}

/** The way in which the artifact of a version that is listed with other bytes has the same content; null if it has another. */
async function likenessToListed(
  { store, pathOf }: RegistryLocation,
  listed: NewVersion,
  { entry: { artifactChecksum }, artifact: { bytes } }: ChosenVersion,
): Promise<Likeness | null> {
  const path = bytes === null || isListedAs(listed, artifactChecksum) ? null : pathOf(listed.artifactUrl);
  const stored = path === null ? null : await store.read(path);
  if (bytes === null || stored === null) return null;
  return isListedAs(listed, `sha256:${sha256Of(stored.bytes)}`) ? likenessOf(stored.bytes, bytes) : null;
}

function alike(
  key: string,
  { version, artifactChecksum }: NewVersion,
  checksum: string,
  likeness: Likeness,
): AppregError {
  const [difference, advice] =
    likeness.kind === 'compression'
      ? [
          'with the same content, compressed differently',
          'No action is required: subscribers already get this content.',
        ]
      : [`with the same content: only ${describeLineEnds(likeness.files)}`, LINE_ENDS_ADVICE];
  return new AppregError(
    'immutable',
    message`${key} ${version} is already published ${difference}: the listed checksum is ${shorten(artifactChecksum, 80)}, yours is ${checksum}. A published version never changes, so the listed one stays.`,
    message`${advice}`,
    { effect: 'none' },
  );
}

function publishedBefore(key: string, { version, artifactChecksum }: NewVersion, first: string): AppregError {
  return new AppregError(
    'immutable',
    message`${key} ${version} was published before with different bytes: the checksum in ${LOCK_FILE} is ${first}, yours is ${artifactChecksum}. A published version never changes, even if it is no longer listed.`,
    message`Publish your bytes as a new version, for example with patch instead of the number.`,
    { effect: 'none' },
  );
}
