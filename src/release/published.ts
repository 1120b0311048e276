import { dirname } from 'node:path';
import { message } from '../core/text/message.ts';
import { AppregError } from '../core/errors/error.ts';
import { type Baseline, isMissing, type Probe, type Snapshot } from '../core/facts/facts.ts';
import { isAnswered, statusOf } from '../core/http/probe.ts';
import { isHttpUrl } from '../core/url/url.ts';
import { documentContent, type JsonObject } from '../core/json/json.ts';
import { type LockFile, LOCK_FILE, lockFileIn, readLockFile } from '../core/registry/lock-file.ts';
import { manifestAppsIn } from '../core/registry/manifest.ts';
import { reasonText } from '../core/rules/lookup.ts';
import { explainUnreachable } from '../core/rules/http/unreachable.ts';
import { printable, redact, safeExcerpt } from '../core/text/text.ts';
import { baselineFromSnapshot } from '../observe/baseline/baseline.ts';
import { localPathOf } from '../observe/baseline/local-path.ts';
import { ARTIFACT_LIMITS, downloadBytes, SMALL_FILE_LIMITS } from '../observe/http/download.ts';
import { networkOf } from '../observe/http/proxy.ts';
import { registryUrl } from '../core/url/registry-url.ts';
import { bytesOf } from '../observe/content/document-content.ts';
import { folderTree } from '../observe/workspace/documents.ts';
import { gitTree } from '../observe/workspace/git.ts';
import { asBase, localPath } from '../observe/workspace/places.ts';
import { storedLock } from '../publish/lock-step.ts';
import type { RegistryLocation } from '../publish/registry-location.ts';
import { digestOfBytes } from '../store/bytes.ts';
import type { Store } from '../store/store.ts';
import { refuseOtherBaseOfState } from '../workspace/base-url.ts';
import { readLock } from '../workspace/lock.ts';
import type { Listener } from '../workspace/listener.ts';
import { filesAtRef, registryState } from '../workspace/registry-state.ts';
import { storeSnapshot } from '../workspace/stored-state.ts';
import type { OpenRepository, RepositoryConfig } from './repository.ts';

/** State that the apps are compared with. */
export interface PublishedState {
  listed: Baseline;
  lock: LockFile | null;
  /** The entries of the manifest, by app key. */
  entries: JsonObject;
  /** The SHA-256 of the icon that an entry names, by app key; null for a missing file, absent if it is not known. */
  icons: ReadonlyMap<string, string | null>;
  /**
   * Reads a published artifact, to compare its content; null if it is not in this state. It is read for no other app
   * than one whose bytes differ.
   */
  artifact(url: string): Promise<Uint8Array | null>;
  /** The store that it was read from; null for a state that `against` names. */
  store: RegistryLocation['store'] | null;
}

/**
 * The published versions, with what they were built from: those in the store, or in the state that `against` names.
 * Artifacts are only read by `artifact`.
 * @throws AppregError (exit 2) if there is no usable registry
 */
export async function publishedState(repository: OpenRepository, against: string | undefined): Promise<PublishedState> {
  const { config, root, listener } = repository;
  if (against?.trim() === '')
    throw new AppregError(
      'option-invalid',
      message`--against is empty.`,
      message`Give a folder, a file, a URL or a git ref; in a pipeline, check that its variable is set.`,
    );
  const own = readLock(root);
  if (against !== undefined) {
    const state = await registryState(against, { ...repository, documentsOnly: true, icons: true });
    const lock = (await lockOf(repository, against)) ?? own;
    const artifact = await artifactsOf(repository, against);
    const listed = withRepairable(baselineFromSnapshot(state, state.target), listener);
    return { listed, lock, ...describedIn(state), artifact, store: null };
  }
  const store = await repository.openStore();
  const { manifest = 'registry.json', baseUrl = null } = config;
  const seenAt = new Date().toISOString();
  const state = await storeSnapshot(store, { manifest, baseUrl }, seenAt, listener, { icons: true });
  if (baseUrl !== null) refuseOtherBaseOfState(state, baseUrl);
  const lock = (await storedLock(store)) ?? own;
  const artifact = artifactsBelow(baseUrl, async (path) => (await store.read(path))?.bytes ?? null);
  return { listed: baselineFromSnapshot(state, state.target), lock, ...describedIn(state), artifact, store };
}

function describedIn({ manifest, apps }: Snapshot): Pick<PublishedState, 'entries' | 'icons'> {
  const icons = new Map<string, string | null>();
  for (const { key, icon } of apps)
    if (!isMissing(icon.content)) icons.set(key, icon.content.sha256);
    else if (icon.content.missing.code === 'not-in-source') icons.set(key, null);
  return { entries: manifestAppsIn(manifest.content) ?? {}, icons };
}

/** Reads the artifacts at URLs below a base, by their paths. */
function artifactsBelow(
  baseUrl: string | null,
  read: (path: string) => Promise<Uint8Array | null>,
): PublishedState['artifact'] {
  const base = baseUrl === null ? null : asBase(baseUrl);
  return async (url) => {
    const path = localPath(url, base);
    return path === null ? null : read(path);
  };
}

/** Reads the artifacts of the state that `against` names. */
async function artifactsOf(repository: OpenRepository, against: string): Promise<PublishedState['artifact']> {
  if (isHttpUrl(against)) return (url) => servedArtifact(repository, url);
  const { cwd, root, config } = repository;
  const local = localPathOf(against, cwd);
  const folder = local === null || local.isFolder ? (local?.path ?? cwd) : dirname(local.path);
  const { baseUrl = null } = (await repository.workspaceAt?.(folder)) ?? {};
  const tree = local === null ? gitTree(against, root) : folderTree(folder, against);
  return artifactsBelow(baseUrl ?? config.baseUrl ?? null, async (path) => {
    tree.fetch([path]);
    const content = tree.read(path);
    return content === null || content.cut ? null : bytesOf(content);
  });
}

/** Downloads an artifact; null, with a warning, if it is not served. */
async function servedArtifact({ env, listener }: OpenRepository, url: string): Promise<Uint8Array | null> {
  const { openHttpClient } = await import('../observe/http/client.ts');
  const http = openHttpClient(networkOf(env));
  try {
    const { probe, bytes } = await downloadBytes(http, { url, accept: '*/*', limits: ARTIFACT_LIMITS });
    if (isAnswered(probe)) return bytes;
    listener.log(
      message`warning: ${safeExcerpt(url)} cannot be fetched: ${unreachable(probe)}; an app is reported as changed if only the compression of its artifact differs`,
    );
    return null;
  } finally {
    await http.close();
  }
}

/** The reason why a file is not served, without the full stop. */
function unreachable(probe: Probe): string {
  const why = explainUnreachable(probe, new Date().toISOString(), false)?.message ?? 'it was not requested.';
  return printable(redact(why)).replace(/\.$/, '');
}

/** The baseline in which an app whose metadata file was never valid has no versions, so that a change can repair it. */
function withRepairable(listed: Baseline, listener: Listener): Baseline {
  const named = new Set<string>();
  return {
    ...listed,
    app(key) {
      const found = listed.app(key);
      if (found === null || !isMissing(found) || found.missing.code !== 'baseline-without-metadata') return found;
      if (found.missing.state !== 'unreadable') return found;
      if (!named.has(key))
        listener.log(message`The app “${key}” is compared with no versions: ${reasonText(found.missing)}.`);
      named.add(key);
      return [];
    },
  };
}

/** The lock file in the state that `against` names; null if it has none. */
async function lockOf(repository: OpenRepository, against: string): Promise<LockFile | null> {
  if (isHttpUrl(against)) return servedLock(repository, against);
  const local = localPathOf(against, repository.cwd);
  if (local !== null) return readLock(local.isFolder ? local.path : dirname(local.path));
  const tree = await filesAtRef(against, repository);
  tree.fetch([LOCK_FILE]);
  const content = tree.read(LOCK_FILE);
  return content && lockFileIn(content, `${LOCK_FILE} in ${against}`);
}

/** Statuses for a file that does not exist; buckets that must not be listed respond with 403. */
const ABSENT = [403, 404, 410];

/**
 * The lock file that is served beside a manifest; null if none is. Without it, bytes that another esbuild wrote count
 * as a change, so an unusable one is reported.
 * @param manifest the URL of the manifest
 */
async function servedLock({ env, listener }: OpenRepository, manifest: string): Promise<LockFile | null> {
  const url = new URL(LOCK_FILE, registryUrl(manifest)).href;
  const { openHttpClient } = await import('../observe/http/client.ts');
  const http = openHttpClient(networkOf(env));
  const unusable = (why: string): null => {
    listener.log(
      message`warning: ${safeExcerpt(url)} ${why}; apps that were built with another version of esbuild are reported as changed`,
    );
    return null;
  };
  try {
    const request = { url, accept: 'application/json', limits: SMALL_FILE_LIMITS };
    const { probe, bytes } = await downloadBytes(http, request);
    if (probe.failure === null && ABSENT.includes(statusOf(probe))) return null;
    if (!isAnswered(probe)) return unusable(`cannot be fetched: ${unreachable(probe)}`);
    const lock = readLockFile(documentContent(bytes));
    return 'faults' in lock
      ? unusable(`is not a valid lock file (${lock.faults.map(({ message }) => message).join(' ')})`)
      : lock;
  } finally {
    await http.close();
  }
}

/**
 * A registry that lists the apps of a state that `against` names, these with their versions, to plan new versions without
 * the store. It cannot be written to.
 */
export function listedLocation(
  config: RepositoryConfig,
  planned: ReadonlySet<string>,
  listed: Baseline,
): RegistryLocation {
  const base = asBase(config.baseUrl ?? 'https://apps.example.com/');
  const manifest = config.manifest ?? 'registry.json';
  const entries: Record<string, object> = {};
  const files = new Map<string, Uint8Array>();
  const put = (path: string, value: object): void => void files.set(path, Buffer.from(JSON.stringify(value)));
  for (const key of listed.keys) {
    // The other apps are only listed: the key of a new app is compared with theirs.
    entries[key] = { appMetadataUrl: `${base}apps/${key}/versions.json` };
    const found = planned.has(key) ? listed.app(key) : null;
    if (found !== null) put(`apps/${key}/versions.json`, { versions: isMissing(found) ? [] : found });
  }
  put(manifest, { apps: entries });
  return { store: readOnly(files), manifest, base, pathOf: (url) => localPath(url, base) };
}

async function refuse(): Promise<never> {
  throw new Error('the state that --against names cannot be written');
}

function readOnly(files: ReadonlyMap<string, Uint8Array>): Store {
  return {
    name: '--against',
    async read(path) {
      const bytes = files.get(path);
      return bytes === undefined ? null : { bytes, token: digestOfBytes(bytes).sha256 };
    },
    async digest(path) {
      const bytes = files.get(path);
      return bytes === undefined ? null : digestOfBytes(bytes);
    },
    create: refuse,
    replace: refuse,
  };
}
