import { createHash } from 'node:crypto';
import { addVersion, isListedAs, listedVersions, type NewVersion } from '../author/metadata.ts';
import { versionsIn } from '../author/usable.ts';
import type { AppFacts, ArchiveFacts, ArtifactFacts, Content, DocumentFacts } from '../core/facts.ts';
import { member, readingOf, stringOrNull } from '../core/json.ts';
import type { Finding } from '../core/report.ts';
import { LOCK_FILE } from '../core/lock-file.ts';
import { printable } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';
import { bump, latestOf } from '../core/version.ts';
import { checkKey } from './add-app.ts';
import { chooseVersion, isBump } from './choose-version.ts';
import { type Judgement, newFindings } from './judged.ts';
import { ASIDE, type Place, readDocument, readManifest, remembered, shown, withText } from './place.ts';
import { newLines } from './new-lines.ts';
import type { Plan, Step } from './plan.ts';

/** Publishing a version of an app (spec 4.4): what is going to be written, in an order that never shows half of it. */

/** An app of the registry whose metadata file can be edited. */
export interface AppToPublish {
  key: string;
  manifest: DocumentFacts;
  metadata: DocumentFacts & { text: string; url: string; file: string };
}

/** The bytes to publish; `bytes` is null when they are kept elsewhere, at `url`. */
export interface Artifact {
  bytes: Uint8Array | null;
  url: string | null;
  content: Content;
  archive: ArchiveFacts;
}

export interface VersionPlan {
  entry: NewVersion;
  /** True when these bytes are listed already; there may still be a missing file to put in place. */
  published: boolean;
  plan: Plan;
  /** The file that is created, relative to the store's root; null when the artifact is kept elsewhere. */
  path: string | null;
  /** Lines of the metadata file that are new. */
  lines(): string[];
  /** Warnings and notes about the new version. */
  findings: Finding[];
}

/**
 * Finds an app and reads its metadata file.
 * @throws Trouble: exit 2 where there is no such app, or its metadata is kept elsewhere; exit 1 where its file must not
 * be edited
 */
export async function appToPublish(place: Place, key: string): Promise<AppToPublish> {
  checkKey(key);
  const name = printable(key);
  const manifest = await readManifest(place);
  const entry = member(member(readingOf(manifest.content as never).value, 'apps'), key);
  if (entry === undefined)
    throw new Trouble(
      'app-unknown',
      `There is no app “${name}” in ${printable(place.manifest)}.`,
      `Add it first: appreg add-app ${name}`,
    );
  const url = stringOrNull(member(entry, 'appMetadataUrl'));
  if (url === null)
    throw new Trouble(
      'document-unusable',
      `The app “${name}” has no appMetadataUrl in ${printable(place.manifest)}.`,
      'Mend its entry; appreg lint tells what is missing.',
      { exit: 1 },
    );
  const path = place.pathOf(url);
  if (path === null) {
    throw new Trouble(
      'metadata-elsewhere',
      `The metadata file of “${name}” is not in this workspace: it is at ${shown(url)}, and the workspace is served at ${shown(place.base)}.`,
      'Publish where that file is kept, or mend appMetadataUrl or baseUrl.',
    );
  }
  const metadata = await readDocument(place.store, path);
  if (!metadata)
    throw new Trouble(
      'metadata-missing',
      `The metadata file of “${name}” is not there: ${printable(path)}`,
      'Restore it from your history, or for an app without versions write { "versions": [] } into it.',
    );
  versionsIn(metadata.text, path);
  return { key, manifest, metadata: { ...metadata, url, file: path } };
}

/**
 * Plans a version. `word` is a version, or major, minor or patch: then bytes that the highest version lists already are
 * not published a second time under a new number, so that a repeated run does no harm.
 * @throws Trouble (exit 1) when the version is published with other bytes, or a rule would be broken
 */
export async function planVersion(
  place: Place,
  app: AppToPublish,
  word: string,
  artifact: Artifact,
  judgement: Judgement,
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

  const edit = remembered((text) => addVersion(text, entry, metadata.file));
  const edited = edit(metadata.text);
  const there = listed.find((one) => one.version === version);
  const first = place.firstSeen?.(key, version) ?? checksum;
  if (edited !== null && first !== checksum) throw publishedBefore(key, entry, first);
  const steps: Step[] = [];
  // Where the listed bytes are kept elsewhere, no second copy is made.
  if (path !== null && (edited !== null || there?.artifactUrl === entry.artifactUrl)) {
    const stored = await place.store.read(path);
    if (stored && !isEqual(stored.bytes, artifact)) throw occupied(path, stored.bytes, entry);
    // Also one that an earlier run left there: it is asked for at its public address before it is listed.
    if (!stored || edited !== null)
      steps.push({ kind: 'create', path, bytes: artifact.bytes!, what: `the artifact of ${key} ${version}` });
  }
  if (edited === null) return { entry: there!, published: true, plan: { steps }, path, lines: () => [], findings: [] };
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
  return { entry, published: false, plan: { steps }, path, lines: () => newLines(metadata.text, edited), findings };
}

/**
 * The version that `word` means. The highest one that is listed, where a bump would publish its very bytes again. A bump
 * passes by a number whose artifact somebody else is publishing right now, or has left behind, and one that was withdrawn.
 */
async function versionFor(
  place: Place,
  { key, metadata }: AppToPublish,
  word: string,
  listed: readonly NewVersion[],
  artifact: Artifact,
  checksum: string,
): Promise<string> {
  if (!isBump(word)) return word;
  const versions = listed.map((one) => one.version);
  const latest = latestOf(versions);
  if (listed.some((one) => one.version === latest && isListedAs(one, checksum))) return latest!;
  for (let version = chooseVersion(word, versions, key); ; version = bump(version, 'patch')!) {
    if ((place.firstSeen?.(key, version) ?? checksum) !== checksum) continue;
    const stored = await place.store.read(artifactPath(metadata.file, version));
    if (!stored || artifact.bytes === null || isEqual(stored.bytes, artifact)) return version;
  }
}

/** Beside the metadata file: apps/a/versions.json keeps its artifacts in apps/a/versions/. */
function artifactPath(metadata: string, version: string): string {
  const stem = metadata.replace(/\.[^./]+$/, '');
  return `${stem === metadata ? `${stem}-artifacts` : stem}/${version}.tar.gz`;
}

/** The registry as it is or will be, as far as this app goes. */
function stateOf(
  { key, manifest, metadata }: AppToPublish,
  text: string,
  added: { version: string; path: string | null; artifact: Artifact } | null,
): { manifest: DocumentFacts; app: AppFacts } {
  const artifacts = versionsIn(text, metadata.file).map((item): ArtifactFacts => {
    const url = stringOrNull(member(item, 'artifactUrl'));
    if (added === null || member(item, 'version') !== added.version)
      return { url, file: null, web: ASIDE, content: ASIDE, archive: ASIDE };
    const { content, archive } = added.artifact;
    return { url, file: added.path, web: ASIDE, content, archive };
  });
  const icon = { url: null, file: null, web: ASIDE, content: ASIDE, image: ASIDE };
  return { manifest, app: { key, metadata: withText(metadata, text), icon, artifacts } };
}

function isEqual(there: Uint8Array, { bytes }: Artifact): boolean {
  return bytes !== null && Buffer.from(there).equals(bytes);
}

function occupied(path: string, bytes: Uint8Array, { version, artifactChecksum }: NewVersion): Trouble {
  const there = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return new Trouble(
    'immutable',
    `${printable(path)} is there already with other bytes: ${there} there, ${artifactChecksum} is what you have. Nothing was changed.`,
    `Publish under another version. If ${version} was never published, and nobody is publishing it right now, remove that file.`,
    { exit: 1 },
  );
}

function publishedBefore(key: string, { version, artifactChecksum }: NewVersion, first: string): Trouble {
  return new Trouble(
    'immutable',
    `${printable(`${key} ${version}`)} was published before with other bytes: ${printable(first)} stands in ${LOCK_FILE}, ${artifactChecksum} is what you have. A published version never changes, also when it is no longer listed. Nothing was changed.`,
    'Publish it as a new version, for example with patch in place of the number.',
    { exit: 1 },
  );
}
