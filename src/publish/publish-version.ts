import { addVersion, isListedAs, listedVersions, type NewVersion } from '../author/metadata.ts';
import { versionsIn } from '../author/usable.ts';
import type { AppFacts, ArchiveFacts, ArtifactFacts, Content, DocumentFacts } from '../core/facts/facts.ts';
import { isObject, type JsonValue, member, parseDocument, stringOrNull } from '../core/json/json.ts';
import { didYouMean } from '../core/text/similar-names.ts';
import type { Finding } from '../core/engine/report.ts';
import { LOCK_FILE } from '../core/registry/lock-file.ts';
import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { bump, comparePrecedence, isSemver, latestOf } from '../core/registry/version.ts';
import type { Bytes, Digest } from '../store/bytes.ts';
import { checkKey } from './add-app.ts';
import { chooseVersion, isBump } from './choose-version.ts';
import { type JudgeSettings, newFindings } from './check-change.ts';
import {
  NOT_OBSERVED,
  type RegistryLocation,
  readDocument,
  readManifest,
  memoizeLast,
  shown,
  withText,
} from './registry-location.ts';
import { newLines } from './new-lines.ts';
import type { Plan, Step } from './plan.ts';

/** Plans publishing a version of an app (spec 4.4), in an order that never exposes a partial state. */

/** An app of the registry whose metadata file can be edited. */
export interface AppToPublish {
  key: string;
  manifest: DocumentFacts;
  metadata: DocumentFacts & { text: string; url: string; file: string };
}

/** The bytes to publish; `bytes` is null if they are hosted elsewhere, at `url`. */
export interface Artifact {
  bytes: Bytes | null;
  url: string | null;
  content: Content;
  archive: ArchiveFacts;
}

export interface VersionPlan {
  entry: NewVersion;
  /** True if these bytes are already listed; the artifact itself may still be missing in the store. */
  published: boolean;
  plan: Plan;
  /** The file to create, relative to the store's root; null if the artifact is hosted elsewhere. */
  path: string | null;
  /** The metadata file, and the artifact if it is in this store. */
  files: string[];
  /** New lines of the metadata file. */
  lines(): string[];
  /** Warnings and notes about the new version. */
  findings: Finding[];
}

/**
 * Finds an app and reads its metadata file.
 * @throws AppregError: exit 2 if there is no such app, or its metadata is hosted elsewhere; exit 1 if its file must not
 * be edited
 */
export async function appToPublish(place: RegistryLocation, key: string): Promise<AppToPublish> {
  checkKey(key);
  const name = printable(key);
  const manifest = await readManifest(place);
  const apps = member(parseDocument(manifest.content as never).value, 'apps');
  const entry = member(apps, key);
  if (entry === undefined)
    throw new AppregError(
      'app-unknown',
      `There is no app “${name}” in ${printable(place.manifest)}.${didYouMean(key, keysIn(apps))}`,
      `Add it first: appreg add-app ${name}`,
    );
  const url = stringOrNull(member(entry, 'appMetadataUrl'));
  if (url === null)
    throw new AppregError(
      'document-invalid',
      `The app “${name}” has no appMetadataUrl in ${printable(place.manifest)}.`,
      'Fix its entry; appreg lint tells what is missing.',
    );
  const path = place.pathOf(url);
  if (path === null) {
    throw new AppregError(
      'metadata-outside-workspace',
      `The metadata file of “${name}” is not in this workspace: it is at ${shown(url)}, and the workspace is served at ${shown(place.base)}.`,
      'Publish where that file is kept, or fix appMetadataUrl or baseUrl.',
    );
  }
  const metadata = await readDocument(place.store, path);
  if (!metadata)
    throw new AppregError(
      'metadata-missing',
      `The metadata file of “${name}” is not there: ${printable(path)}`,
      'Restore it from your history, or for an app without versions write { "versions": [] } into it.',
    );
  versionsIn(metadata.text, path);
  return { key, manifest, metadata: { ...metadata, url, file: path } };
}

function keysIn(apps: JsonValue | undefined): string[] {
  return isObject(apps) ? Object.keys(apps) : [];
}

/**
 * Plans a version. `word` is a version, or major, minor or patch: for these, bytes that the highest version already
 * lists are not published again under a new number, so that repeated runs are idempotent.
 * @throws AppregError (exit 1) if the version is published with other bytes, or a rule would be violated
 */
export async function planVersion(
  place: RegistryLocation,
  app: AppToPublish,
  word: string,
  artifact: Artifact,
  judgement: JudgeSettings,
): Promise<VersionPlan> {
  const { key, metadata } = app;
  const listed = listedVersions(metadata.text, metadata.file);
  const checksum = `sha256:${artifact.content.sha256}`;
  const version = await versionFor(place, app, word, listed, artifact, checksum);
  const path = artifact.bytes === null ? null : artifactPath(metadata.file, version);
  const entry: NewVersion = {
    version,
    artifactUrl: path === null ? artifact.url! : place.base + path.split('/').map(encodeURIComponent).join('/'),
    artifactChecksum: checksum,
  };

  const edit = memoizeLast((text) => addVersion(text, entry, metadata.file));
  const edited = edit(metadata.text);
  const there = listed.find((one) => one.version === version);
  const first = place.firstSeen?.(key, version) ?? checksum;
  if (edited !== null && first !== checksum) throw publishedBefore(key, entry, first);
  const steps: Step[] = [];
  // If the listed bytes are hosted elsewhere, no second copy is made.
  if (path !== null && (edited !== null || there?.artifactUrl === entry.artifactUrl)) {
    const stored = await place.store.digest(path);
    if (stored && !isEqual(stored, artifact)) throw occupied(path, stored, entry);
    // Also for a file created by an earlier run: it is read back from its public URL before it is listed.
    if (!stored || edited !== null)
      steps.push({ kind: 'create', path, bytes: artifact.bytes!, what: `the artifact of ${key} ${version}` });
  }
  const files = [metadata.file, ...(path === null ? [] : [path])];
  if (edited === null)
    return {
      entry: there!,
      published: true,
      plan: { title: `Restore the artifact of ${key} ${version}`, steps },
      path,
      files,
      lines: () => [],
      findings: [],
    };
  steps.push({
    kind: 'edit',
    path: metadata.file,
    edit,
    what: `the version ${version} of ${key}`,
  });
  const findings = newFindings(
    () => stateOf(app, metadata.text, null),
    stateOf(app, edited, { version, path, artifact }),
    judgement,
  );
  return {
    entry,
    published: false,
    plan: { title: `Publish ${key} ${version}`, steps },
    path,
    files,
    lines: () => newLines(metadata.text, edited),
    findings,
  };
}

/**
 * Resolves `word` to a version. For an increment: the latest one if it already has these bytes. Bytes of an older
 * version are refused, since a repeated job must not roll subscribers back. An increment skips numbers whose artifact
 * exists with other bytes (a concurrent or abandoned publication), and withdrawn ones.
 */
async function versionFor(
  place: RegistryLocation,
  { key, metadata }: AppToPublish,
  word: string,
  listed: readonly NewVersion[],
  artifact: Artifact,
  checksum: string,
): Promise<string> {
  if (!isBump(word)) return word;
  const versions = listed.map((one) => one.version);
  const latest = latestOf(versions);
  const same = listed.filter((one) => isListedAs(one, checksum)).map((one) => one.version);
  if (latest !== null && same.includes(latest)) return latest;
  const older =
    latest === null ? null : latestOf(same.filter((one) => isSemver(one) && comparePrecedence(one, latest) < 0));
  if (older !== null && latest !== null)
    throw wouldRollBack({ key, word, older, latest, next: chooseVersion(word, versions, key) });
  for (let version = chooseVersion(word, versions, key); ; version = bump(version, 'patch')!) {
    if ((place.firstSeen?.(key, version) ?? checksum) !== checksum) continue;
    const stored = await place.store.digest(artifactPath(metadata.file, version));
    if (!stored || artifact.bytes === null || isEqual(stored, artifact)) return version;
  }
}

/** Next to the metadata file: the artifacts of apps/a/versions.json are in apps/a/versions/. */
function artifactPath(metadata: string, version: string): string {
  const stem = metadata.replace(/\.[^./]+$/, '');
  return `${stem === metadata ? `${stem}-artifacts` : stem}/${version}.tar.gz`;
}

/** The registry before or after the change, restricted to this app. */
function stateOf(
  { key, manifest, metadata }: AppToPublish,
  text: string,
  added: { version: string; path: string | null; artifact: Artifact } | null,
): { manifest: DocumentFacts; app: AppFacts } {
  const artifacts = versionsIn(text, metadata.file).map((item): ArtifactFacts => {
    const url = stringOrNull(member(item, 'artifactUrl'));
    if (added === null || member(item, 'version') !== added.version)
      return { url, file: null, web: NOT_OBSERVED, content: NOT_OBSERVED, archive: NOT_OBSERVED };
    const { content, archive } = added.artifact;
    return { url, file: added.path, web: NOT_OBSERVED, content, archive };
  });
  const icon = { url: null, file: null, web: NOT_OBSERVED, content: NOT_OBSERVED, image: NOT_OBSERVED };
  return { manifest, app: { key, metadata: withText(metadata, text), icon, artifacts } };
}

function isEqual(there: Digest, { bytes, content }: Artifact): boolean {
  return bytes !== null && there.sha256 === content.sha256;
}

function occupied(path: string, { sha256 }: Digest, { version, artifactChecksum }: NewVersion): AppregError {
  const there = `sha256:${sha256}`;
  return new AppregError(
    'immutable',
    `${printable(path)} is there already with other bytes: ${there} there, ${artifactChecksum} is what you have. Nothing was changed.`,
    `Publish under another version. If ${version} was never published, and nobody is publishing it right now, remove that file.`,
  );
}

function wouldRollBack(found: { key: string; word: string; older: string; latest: string; next: string }): AppregError {
  const [key, older, latest, next] = [found.key, found.older, found.latest, found.next].map(printable);
  return new AppregError(
    'version-rollback',
    `These bytes are published already, as ${key} ${older}, and ${latest} is the latest version: ${found.word} would bring subscribers back from ${latest} to the code of ${older}. Nothing was changed.`,
    `If a job was run again, nothing is left to do. To publish the older code again on purpose, give the full number: appreg publish-version ${key} ${next} …`,
  );
}

function publishedBefore(key: string, { version, artifactChecksum }: NewVersion, first: string): AppregError {
  return new AppregError(
    'immutable',
    `${printable(`${key} ${version}`)} was published before with other bytes: ${printable(first)} stands in ${LOCK_FILE}, ${artifactChecksum} is what you have. A published version never changes, also when it is no longer listed. Nothing was changed.`,
    'Publish it as a new version, for example with patch in place of the number.',
  );
}
