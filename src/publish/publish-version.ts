import { message } from '../core/text/message.ts';
import { requireVersions, type Document } from '../author/document.ts';
import { addVersion, type NewVersion, validVersions, isListedAs } from '../author/metadata.ts';
import { sameDigest } from '../core/registry/baseline.ts';
import type { ArtifactFacts, DocumentFacts } from '../core/facts/facts.ts';
import { versionFields } from '../core/registry/manifest.ts';
import type { Finding } from '../core/findings/report.ts';
import { LOCK_FILE } from '../core/registry/lock-file.ts';
import { AppregError } from '../core/errors/error.ts';
import { shorten } from '../core/text/text.ts';
import { sha256Of } from '../store/bytes.ts';
import type { AppToPublish } from './listed-app.ts';
import { haveSameTar } from './same-tar.ts';
import { type NotesOf, versionNotesEdit } from './about.ts';
import { type Artifact, checksumOf, createFiles, filesOf, isFree, requireAttestation, targetOf } from './artifact.ts';
import { type JudgedState, type JudgeSettings, judgeState, newFindings, type RegistryState } from './check-change.ts';
import { versionSeverities } from './check-content.ts';
import { isBump, chooseVersion, increment } from './choose-version.ts';
import { refuseTypos } from './refuse-typos.ts';
import { EditStep } from './edit-step.ts';
import { changedLines, type LineChanges, type Plan, type PlannedStep } from './plan.ts';
import { factsOf, NOT_OBSERVED, type RegistryLocation } from './registry-location.ts';
import { comparePrecedence, latestOf } from '../core/registry/precedence.ts';
import { isSemver } from '../core/registry/version.ts';

/** Plans publishing a version of an app (spec 4.4), in an order that never exposes a partial state. */

export interface VersionPlan {
  entry: NewVersion;
  /** True if these bytes are already listed; the artifact itself may still be missing in the store. */
  published: boolean;
  plan: Plan<PlannedStep>;
  /** The step of the plan that lists the app in the manifest; null if it is listed. */
  listing: EditStep | null;
  /** The file to create, relative to the store's root; null if the artifact is hosted elsewhere. */
  path: string | null;
  /** The metadata file, and the artifact with its companion files if it is in this store. */
  files: string[];
  /** The lines of the metadata file that change; null if none do. */
  lines(): LineChanges | null;
  /** Warnings and notes about the new version. */
  findings: Finding[];
}

/**
 * Plans a version, and its notes. `word` is a version, or major, minor or patch: for these, bytes that the highest version already
 * lists are not published again under a new number, so that repeated runs are idempotent.
 * @throws AppregError (exit 1) if the version is published with other bytes, or a rule would be violated
 */
export async function planVersion(
  place: RegistryLocation,
  app: AppToPublish,
  { word, artifact, notes }: { word: string; artifact: Artifact; notes?: NotesOf | undefined },
  judgeSettings: JudgeSettings,
): Promise<VersionPlan> {
  const { key, metadata } = app;
  const listed = validVersions(metadata);
  const version = await versionToPublish(place, app, word, listed, artifact, judgeSettings.allow?.same);
  const target = targetOf(place, metadata, version, artifact);
  const { path, entry } = target;
  const { artifactChecksum: checksum } = entry;
  const existing = listed.find((one) => one.version === version);
  if (existing !== undefined && (await isRecompressed(place, existing, entry, artifact)))
    throw recompressed(key, existing, checksum);
  const firstSeen = place.firstSeen?.(key, version) ?? checksum;
  if (existing === undefined && !sameDigest(firstSeen, checksum)) throw publishedBefore(key, entry, firstSeen);
  const editing = EditStep.of(metadata, { what: `the version ${version} of ${key}` }, (now) => {
    const edited = addVersion(now, entry);
    // Also on a state that another publisher has written meanwhile. An increment is planned again.
    if (edited !== null && !isBump(word)) refuseTypos(key, entry, validVersions(now), judgeSettings.allow ?? {});
    return edited;
  });
  const noted = notes?.(version) ?? null;
  const published = editing === null ? null : publishedAt(place, judgeSettings.now);
  const about = await versionNotesEdit(place, metadata.path, { key, version }, { published, notes: noted });
  const files = [metadata.path, ...filesOf(target), ...(about === null ? [] : [about.step.path])];
  const settings = { ...judgeSettings, severities: versionSeverities(judgeSettings.severities, version) };
  const before = (): JudgedState => judgeState(stateOf(app, metadata, null, about?.before), settings);

  if (editing === null) {
    if (existing === undefined) throw new Error(`${version} is neither listed nor new`);
    // If the listed bytes are hosted elsewhere, no second copy is made. The URL of the same file may be written otherwise.
    const isHere = path !== null && place.pathOf(existing.artifactUrl) === path;
    const create = isHere ? await createFiles(place, key, target) : null;
    const isRestored = create !== null && !create.exists;
    return {
      entry: existing,
      published: true,
      plan: {
        title: isRestored
          ? `Restore the artifact of ${key} ${version}`
          : `Add ${[...(create?.companions ?? []), ...(about === null ? [] : [about.step])].map(({ what }) => what).join(', ')}`,
        steps: [
          ...(isRestored ? [create.artifact] : []),
          ...(create?.companions ?? []),
          ...(about === null ? [] : [about.step]),
        ],
      },
      listing: null,
      path,
      files,
      lines: () => null,
      findings: about === null ? [] : newFindings(before, stateOf(app, metadata, null, about.after), settings),
    };
  }

  // Also for a file created by an earlier run: it is read back from its public URL before it is listed.
  const create = await createFiles(place, key, target);
  if (judgeSettings.requiresAttestation === true) await requireAttestation(place, target, settings.severities);
  const after = stateOf(app, editing.to, { version, path, artifact }, about?.after);
  const findings = newFindings(before, after, settings);
  return {
    entry,
    published: false,
    plan: {
      title: `Publish ${key} ${version}`,
      // The notes are written first: after an interruption, the same command finds and keeps them.
      steps: [
        ...(create === null ? [] : [create.artifact, ...create.companions]),
        ...(about === null ? [] : [about.step]),
        editing,
      ],
    },
    listing: null,
    path,
    files,
    lines: () => changedLines(metadata.text, editing.to.text),
    findings,
  };
}

/** The registry before or after the change, restricted to this app. */
function stateOf(
  { key, manifest, metadataUrl }: AppToPublish,
  metadata: Document,
  added: { version: string; path: string | null; artifact: Artifact } | null,
  about: DocumentFacts | null = null,
): RegistryState {
  const artifacts = requireVersions(metadata).map((item): ArtifactFacts => {
    const { version, artifactUrl: url } = versionFields(item);
    if (added === null || version !== added.version)
      return { url, file: null, web: NOT_OBSERVED, content: NOT_OBSERVED, archive: NOT_OBSERVED };
    const { content, archive } = added.artifact;
    return { url, file: added.path, web: NOT_OBSERVED, content, archive };
  });
  const icon = { url: null, file: null, web: NOT_OBSERVED, content: NOT_OBSERVED, image: NOT_OBSERVED };
  const documents = { metadata: factsOf(metadata, metadataUrl), ...(about !== null && { about }) };
  return { manifest: factsOf(manifest), app: { key, ...documents, icon, artifacts } };
}

/** The present time: that of the store, if it has a clock. @param now of this machine */
function publishedAt({ store }: RegistryLocation, now: string): string {
  const time = store.now?.() ?? null;
  return (time === null ? now : new Date(time).toISOString()).replace(/\.\d+Z$/, 'Z');
}

/** Whether a version is listed with other bytes, whose artifact in the store contains the same tar. */
async function isRecompressed(
  { store, pathOf }: RegistryLocation,
  listed: NewVersion,
  { artifactChecksum }: NewVersion,
  { bytes }: Artifact,
): Promise<boolean> {
  const path = bytes === null || isListedAs(listed, artifactChecksum) ? null : pathOf(listed.artifactUrl);
  const stored = path === null ? null : await store.read(path);
  if (bytes === null || stored === null) return false;
  return isListedAs(listed, `sha256:${sha256Of(stored.bytes)}`) && haveSameTar(stored.bytes, bytes);
}

function recompressed(key: string, { version, artifactChecksum }: NewVersion, checksum: string): AppregError {
  return new AppregError(
    'immutable',
    message`${key} ${version} is already published with the same content, compressed differently: the listed checksum is ${shorten(artifactChecksum, 80)}, yours is ${checksum}. A published version never changes, so the listed one stays.`,
    message`No action is required: subscribers already get this content.`,
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

/**
 * Resolves `word` to a version. For an increment: the latest one if it already has these bytes. Bytes of an older
 * version are refused, since a repeated job must not roll subscribers back. An increment skips numbers whose artifact
 * exists with other bytes (a concurrent or abandoned publication), and withdrawn ones.
 * @param listed the valid versions of the metadata file
 * @param allowSame whether bytes of an older version may get a new number
 */
async function versionToPublish(
  place: RegistryLocation,
  { key, metadata }: AppToPublish,
  word: string,
  listed: readonly NewVersion[],
  artifact: Artifact,
  allowSame = false,
): Promise<string> {
  if (!isBump(word)) return word;
  const checksum = checksumOf(artifact);
  const versions = listed.map(({ version }) => version);
  const latest = latestOf(versions);
  const same = listed.filter((entry) => isListedAs(entry, checksum)).map(({ version }) => version);
  if (latest !== null && same.includes(latest)) return latest;
  const older =
    latest === null ? null : latestOf(same.filter((one) => isSemver(one) && comparePrecedence(one, latest) < 0));
  if (older !== null && latest !== null && !allowSame)
    throw wouldRollBack({ key, word, older, latest, next: chooseVersion(word, versions, key) });
  let version = chooseVersion(word, versions, key);
  while (!(await isFree(place, key, targetOf(place, metadata, version, artifact))))
    version = increment(version, 'patch');
  return version;
}

function wouldRollBack(found: { key: string; word: string; older: string; latest: string; next: string }): AppregError {
  const { key, older, latest, next } = found;
  return new AppregError(
    'version-rollback',
    message`These bytes are already published, as ${key} ${older}, and ${latest} is the latest version: ${found.word} would give subscribers of ${latest} the code of ${older} again.`,
    message`If a job was run again, nothing is left to do. To publish the older code again intentionally, use the full number: appreg publish-version ${key} ${next} … --allow-same`,
    { effect: 'none' },
  );
}
