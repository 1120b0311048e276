import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentContent } from '../../src/core/json/json.ts';
import { EMPTY_LOCK, LOCK_FILE, lockFileIn, type LockFile } from '../../src/core/registry/lock-file.ts';
import type { RegistryLocation } from '../../src/publish/registry-location.ts';
import type { Plan, PlannedStep } from '../../src/publish/plan.ts';
import type { PreparedApp } from '../../src/release/evaluate.ts';
import type { PublishedApp } from '../../src/release/outcome.ts';
import { publishAll, type PublishAllOptions } from '../../src/release/publish-all.ts';
import { openDirectory } from '../../src/store/directory/directory.ts';
import { openGit } from '../../src/store/git/git.ts';
import { remembering } from '../../src/store/remember.ts';
import { openS3 } from '../../src/store/s3/s3.ts';
import { type BatchStore, isBatchStore, type Store, type Write } from '../../src/store/store.ts';
import { bareIn, git } from '../support/git-host.ts';
import { openObjectStore } from '../support/object-store.ts';
import { artifact, BASE, JUDGEMENT, memoryStore, tarGz } from '../publish/memory.ts';

/** Registries with several apps, and what a release publishes to them. */

export const OPTIONS = { jobs: 4, judgeSettings: JUDGEMENT };

export interface Place {
  /** A new connection, as another process has it. */
  open(): Store & { forget?(): void };
  close(): Promise<void>;
  /** The bare repository. */
  remote?: string;
}

const PLACES: Record<string, () => Promise<Place>> = {
  async memory() {
    const store = memoryStore({});
    return { open: () => store, close: async () => {} };
  },
  async folder() {
    const root = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-apps-'));
    return { open: () => openDirectory(root), close: async () => rmSync(root, { recursive: true }) };
  },
  async git() {
    const root = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-apps-'));
    const remote = bareIn(join(root, 'r.git'));
    mkdirSync(join(root, 'work'));
    return {
      remote,
      open: () => openGit({ remote, branch: 'pages', root: join(root, 'work') }),
      close: async () => rmSync(root, { recursive: true }),
    };
  },
  async bucket() {
    const { endpoint, close } = await openObjectStore();
    const env = {
      AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'a-canary',
      AWS_EC2_METADATA_DISABLED: 'true',
    };
    const place = { bucket: 'registry', prefix: '', region: 'us-east-1', endpoint, unconditional: false, env };
    return { open: () => remembering(openS3(place)), close };
  },
};

export const PLACE_NAMES = Object.keys(PLACES);

/** A registry with these apps, without versions. */
export async function registryOf(name: string, keys: readonly string[]): Promise<Place> {
  const place = await PLACES[name]!();
  const apps = Object.fromEntries(
    keys.map((key) => [
      key,
      {
        name: key,
        description: 'An app.',
        blockStyle: { iconUrl: `${BASE}apps/${key}/icon.svg`, color: '#112233' },
        appMetadataUrl: `${BASE}apps/${key}/versions.json`,
      },
    ]),
  );
  const writes: Write[] = [
    ['registry.json', JSON.stringify({ apps }, null, 2)],
    ...keys.map((key) => [`apps/${key}/versions.json`, '{\n  "versions": []\n}\n']),
  ].map(([path, text]) => ({ path: path!, bytes: Buffer.from(text!), token: null }));
  const store = place.open();
  if (isBatchStore(store)) await store.batch.write(writes);
  else for (const { path, bytes } of writes) await store.create(path, bytes);
  return place;
}

export const PROVENANCE = { sources: `sha256:${'a'.repeat(64)}`, toolchain: { appreg: '1.0.0', esbuild: '0.25.0' } };

/** @param code decides the bytes of its archive */
export async function prepared(key: string, version = '1.0.0', code = key): Promise<PreparedApp> {
  const built = await artifact(tarGz(code));
  if (built.bytes === null) throw new Error('it has bytes');
  return { key, folder: `src/${key}`, version, artifact: built, listing: null, provenance: PROVENANCE };
}

interface Publishing extends PublishAllOptions {
  /** The folder of the workspace (default: none that has a lock file). */
  workspace?: Store | null;
}

/** Plans the apps, or publishes them. @returns the results in the order of the apps, and the plan of a dry run */
async function run(
  place: RegistryLocation,
  apps: readonly PreparedApp[],
  { workspace = null, ...options }: Publishing,
): Promise<{ results: PublishedApp[]; plan: Plan<PlannedStep> | null }> {
  const { results, plan } = await publishAll({ ...place, workspace }, apps, options, { stored() {}, ended() {} });
  return { results: apps.flatMap((app) => results.filter((result) => result.app === app)), plan };
}

export async function publishApps(
  place: RegistryLocation,
  apps: readonly PreparedApp[],
  options: Publishing,
): Promise<PublishedApp[]> {
  return (await run(place, apps, options)).results;
}

export async function planApps(
  place: RegistryLocation,
  apps: readonly PreparedApp[],
  options: Publishing,
): Promise<{ results: PublishedApp[]; plan: Plan<PlannedStep> }> {
  const { results, plan } = await run(place, apps, { ...options, dryRun: true });
  return { results, plan: plan ?? { steps: [] } };
}

/** What is listed: `key version`, after making sure that each artifact is stored with the listed bytes. */
export async function listed(store: Store, keys: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for (const key of keys) {
    const { versions } = await json(store, `apps/${key}/versions.json`);
    for (const { version, artifactUrl, artifactChecksum } of versions) {
      const stored = await store.digest(artifactUrl.slice(BASE.length));
      if (`sha256:${stored?.sha256}` !== artifactChecksum) throw new Error(`${key} ${version} is not as listed`);
      lines.push(`${key} ${version}`);
    }
  }
  return lines;
}

interface Metadata {
  versions: { version: string; artifactUrl: string; artifactChecksum: string }[];
}

async function json(store: Store, path: string): Promise<Metadata> {
  const stored = await store.read(path);
  if (stored === null) throw new Error(`${path} is missing`);
  return JSON.parse(Buffer.from(stored.bytes).toString());
}

interface AboutJson {
  versions: Record<string, { published?: string; notes?: string; deprecated?: object }>;
}

/** The about file of an app; null if it has none. */
export async function aboutOf(store: Store, key: string): Promise<AboutJson | null> {
  const stored = await store.read(`apps/${key}/versions.about.json`);
  return stored === null ? null : (JSON.parse(Buffer.from(stored.bytes).toString()) as AboutJson);
}

export async function lockOf(store: Store): Promise<LockFile> {
  const stored = await store.read(LOCK_FILE);
  return stored === null ? EMPTY_LOCK : lockFileIn(documentContent(stored.bytes), LOCK_FILE);
}

/** `key version` of each entry of the lock file that has its sources. */
export function recorded(lock: LockFile): string[] {
  return [...lock.versions].flatMap(([key, versions]) =>
    [...versions.values()].flatMap(({ version, provenance }) => (provenance ? [`${key} ${version}`] : [])),
  );
}

export function outcomes(results: readonly PublishedApp[]): string[] {
  return results.map(({ app, outcome, error }) => `${app.key}: ${outcome}${error ? ` (${error.code})` : ''}`);
}

/** Thrown in place of `kill -9`. */
export class Killed extends Error {}

/** The same store; from the given write on, counted from 0, nothing more is written or read. */
export function killedAt(store: Store, write: number, when: 'before' | 'after'): Store {
  let count = 0;
  let isDead = false;
  async function guarded<T>(work: () => Promise<T>, isWrite: boolean): Promise<T> {
    if (isDead) throw new Killed();
    const isLast = isWrite && count++ === write;
    isDead ||= isLast;
    if (isLast && when === 'before') throw new Killed();
    const answer = await work();
    if (isLast) throw new Killed();
    return answer;
  }
  const { tidy: _, ...methods } = store;
  const killed: Store = {
    ...methods,
    read: (path) => guarded(() => store.read(path), false),
    digest: (path) => guarded(() => store.digest(path), false),
    create: (...all) => guarded(() => store.create(...all), true),
    replace: (...all) => guarded(() => store.replace(...all), true),
  };
  if (!isBatchStore(store)) return killed;
  const batch: BatchStore['batch'] = {
    read: (paths) => guarded(() => store.batch.read(paths), false),
    write: (...all) => guarded(() => store.batch.write(...all), true),
  };
  return { ...killed, batch } as BatchStore;
}

/** The number of commits in the branch, and the subject of the last one. */
export function history(remote: string): { commits: number; subject: string } {
  return {
    commits: Number(git(remote, 'rev-list', '--count', 'pages')),
    subject: git(remote, 'log', '-1', '--format=%s', 'pages').trim(),
  };
}
