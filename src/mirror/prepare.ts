import { join } from 'node:path';
import { type ArtifactFacts, isMissing, type Missing, type PublishedVersion } from '../core/facts/facts.ts';
import { isAppregError } from '../core/errors/error.ts';
import type { JsonValue } from '../core/json/json.ts';
import { isSafeKey } from '../core/registry/app-key.ts';
import { digestOf } from '../core/registry/checksum.ts';
import { versionFields } from '../core/registry/manifest.ts';
import { isSemver } from '../core/registry/version.ts';
import { printable } from '../core/text/text.ts';
import { readArchiveFile } from '../observe/archive/read-archive.ts';
import type { HttpClient } from '../observe/http/client.ts';
import type { ListedArtifact } from '../observe/registry/options.ts';
import type { ListedPart } from '../observe/registry/part.ts';
import { otherNameOnDisk } from '../platform/names.ts';
import { copyCompanions, NO_COMPANIONS } from './companions.ts';
import { localDocument, mirroredVersions, pathsOf } from './rewrite.ts';
import { hasFile } from './index-file.ts';
import type { MirrorRun, PreparedApp } from './run.ts';

/** Decides which artifacts of an app have to be fetched. */

/** Not fetched: the mirror has it, or cannot have it. */
const NOT_FETCHED: Missing = { missing: { code: 'not-requested', flag: null }, intentional: true };

function isNotFetched({ missing }: Missing): boolean {
  return missing.code === 'not-requested';
}

/** Reads what the folder has of an app. */
export async function prepareApp(
  run: MirrorRun,
  key: string,
  listed: readonly JsonValue[],
  http: HttpClient,
): Promise<void> {
  const prepared: PreparedApp = {
    before: [],
    local: new Map(),
    refused: new Map(),
    refusal: null,
    fetched: [],
    companions: Promise.resolve(NO_COMPANIONS),
  };
  run.prepared.set(key, prepared);
  if (!isSafeKey(key)) return;
  try {
    const path = pathsOf.metadata(key);
    await run.store.tidy?.([path, pathsOf.artifact(key, '0.0.0')]);
    prepared.before = mirroredVersions(await localDocument(run.store, path));
    for (const item of listed) await prepareVersion(run, key, item, prepared);
  } catch (error) {
    // Such as a device name on Windows.
    if (!isAppregError(error) || error.code !== 'path-refused') throw error;
    prepared.refusal = { code: error.code, message: `The app cannot be kept in a folder: ${error.summary}` };
    return;
  }
  if (run.options.skipCompanions === true) return;
  const app = { key, prepared };
  prepared.companions = copyCompanions(run, app, listed, http);
  // Awaited when the app is mirrored; until then a rejection must not count as unhandled.
  prepared.companions.catch(() => {});
}

async function prepareVersion(
  { root, index, paths }: MirrorRun,
  key: string,
  item: JsonValue,
  prepared: PreparedApp,
): Promise<void> {
  const { version, artifactUrl: url, artifactChecksum } = versionFields(item);
  const digest = digestOf(artifactChecksum ?? '');
  if (version === null || !isSemver(version) || url === null || digest === null) return;
  const known = prepared.before.find((one) => one.version === version);
  if (known && known.digest !== digest) return;
  const path = pathsOf.artifact(key, version);
  const listed = otherNameOnDisk(root, path.split('/'));
  if (listed !== null)
    prepared.refused.set(
      version,
      `The artifact cannot be kept in this folder as ${path}: its file system already has ${printable(listed)} under that name.`,
    );
  else if (await hasFile(root, path, digest, index)) prepared.local.set(idOf(version, digest), path);
  else {
    paths.add(url, digest, path);
    prepared.fetched.push({ url, digest, path });
  }
}

/** Leaves out the artifacts that need not be fetched. */
export function leaveOutUnneeded({ prepared }: MirrorRun, { key, artifacts, leaveOut }: ListedPart): void {
  const fetched = prepared.get(key)?.fetched ?? [];
  const isNeeded = ({ app, version, url, checksum }: ListedArtifact): boolean => {
    const digest = digestOf(checksum);
    return (
      digest !== null && fetched.some((one) => one.url === url && one.digest === digest && isPathOf(one, app, version))
    );
  };
  leaveOut(
    artifacts.filter((one) => !isNeeded(one)),
    NOT_FETCHED,
  );
}

function isPathOf({ path }: { path: string }, app: string, version: string | null): boolean {
  return version !== null && path === pathsOf.artifact(app, version);
}

/** The versions in the mirror, for the decisions about them now: they are offered if their bytes are in the folder. */
export function publishedBefore({ prepared }: Pick<MirrorRun, 'prepared'>, key: string): PublishedVersion[] {
  const { before = [], fetched = [] } = prepared.get(key) ?? {};
  const absent = new Set(fetched.map(({ path }) => path));
  return before.map(({ version, url, digest }) => {
    const isKept = !absent.has(pathsOf.artifact(key, version));
    const offer = { isOffered: isKept, rule: null, isKept };
    return { version, artifactUrl: url, artifactChecksum: `sha256:${digest}`, offer };
  });
}

/** The facts about artifacts, with what the folder has of those that no run has listed yet. */
export async function withLocalArtifacts(
  { root }: MirrorRun,
  { local, before }: PreparedApp,
  listed: readonly JsonValue[],
  artifacts: readonly ArtifactFacts[],
): Promise<ArtifactFacts[]> {
  const known = new Set(before.map(({ version }) => version));
  const all: ArtifactFacts[] = [];
  for (const [index, facts] of artifacts.entries()) {
    const { version, artifactChecksum } = versionFields(listed[index]);
    const path = local.get(idOf(version ?? '', digestOf(artifactChecksum ?? '') ?? ''));
    const isUnexamined = isMissing(facts.content) && isNotFetched(facts.content);
    const isJudged = path === undefined || known.has(version ?? '') || !isUnexamined;
    all.push(isJudged ? facts : { ...facts, ...(await readArchiveFile(join(root, path))) });
  }
  return all;
}

function idOf(version: string, digest: string): string {
  return `${version} ${digest}`;
}
