import type { Baseline, PublishedVersion } from '../../core/facts/facts.ts';
import type { RememberedApp } from '../../observe/registry/cache/observation-cache.ts';
import type { Db } from './database.ts';
import { storable, unpack } from './packed.ts';
import type { StoredVersion } from '../refresh/version-lifecycle.ts';

/** The rows of a registry's apps, read in batches in the order in which a refresh needs them. */

export interface AppRecord {
  key: string;
  icon: Buffer | null;
  visible: boolean | null;
  because: string[];
  latest: string | null;
  failingSince: Date | null;
  remembered: RememberedApp | null;
  versions: StoredVersion[];
}

export interface AppRecords {
  /** Sets the order in which apps will be requested. */
  order(keys: readonly string[]): void;
  /** An app, or null if it has no row. It is retained until released. */
  of(key: string): Promise<AppRecord | null>;
  /** The same, for an app that was already requested. */
  held(key: string): AppRecord | null;
  forget(key: string): void;
}

/** The number of apps observed concurrently. */
const PORTION = 24;

export function openAppRecords(db: Db, registryId: number): AppRecords {
  const held = new Map<string, Promise<AppRecord | null>>();
  const there = new Map<string, AppRecord>();
  let rest: readonly string[] = [];
  let next = 0;

  function load(): void {
    const keys = rest.slice(next, next + PORTION);
    next += keys.length;
    const loading = readApps(db, registryId, keys);
    for (const key of keys) {
      const one = loading.then((found) => found.get(key) ?? null);
      one.catch(() => {});
      held.set(key, one);
    }
  }

  return {
    order(keys) {
      // A key that the database cannot store has no row.
      rest = keys.filter((key) => storable(key) === key);
      next = 0;
    },
    async of(key) {
      while (!held.has(key) && next < rest.length && storable(key) === key) load();
      const record = (await held.get(key)) ?? null;
      if (record) there.set(key, record);
      return record;
    },
    held: (key) => there.get(key) ?? null,
    forget(key) {
      held.delete(key);
      there.delete(key);
    },
  };
}

async function readApps(db: Db, registryId: number, keys: readonly string[]): Promise<Map<string, AppRecord>> {
  const [apps, versions] = await Promise.all([
    db
      .selectFrom('apps')
      .where('registryId', '=', registryId)
      .where('key', 'in', keys)
      .select(['key', 'icon', 'visible', 'because', 'latest', 'failingSince', 'remembered'])
      .execute(),
    db.selectFrom('versions').where('registryId', '=', registryId).where('appKey', 'in', keys).selectAll().execute(),
  ]);
  const found = new Map<string, AppRecord>();
  for (const { remembered, ...row } of apps)
    found.set(row.key, {
      ...row,
      remembered: remembered === null ? null : await unpack<RememberedApp>(remembered),
      versions: [],
    });
  for (const { registryId: _, appKey, bytes, ...row } of versions)
    found.get(appKey)?.versions.push({ ...row, bytes: bytes === null ? null : Number(bytes) });
  return found;
}

/** The baseline of the rules: everything that was ever in force. */
export interface DatabaseBaseline extends Baseline {
  /** Must be called before an app is judged. */
  load(key: string, record: AppRecord | null): void;
}

/** @param keys of the apps that ever had a version in force, and may therefore be installed */
export function databaseBaseline(keys: readonly string[]): DatabaseBaseline {
  let loaded: { key: string; versions: PublishedVersion[] | null } | null = null;
  return {
    source: 'what this service saw before',
    keys,
    load(key, record) {
      const versions = (record?.versions ?? []).filter(({ verifiedAt }) => verifiedAt !== null);
      loaded = {
        key,
        versions:
          versions.length === 0
            ? null
            : versions.map(({ version, artifactUrl, artifactChecksum }) => ({
                version,
                artifactUrl,
                artifactChecksum,
              })),
      };
    },
    app: (key) => (loaded?.key === key ? loaded.versions : null),
  };
}

/** Keys of the apps that ever had a version in force. */
export async function keysInForce(db: Db, registryId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('versions')
    .where('registryId', '=', registryId)
    .where('verifiedAt', 'is not', null)
    .select('appKey')
    .distinct()
    .orderBy('appKey')
    .execute();
  return rows.map(({ appKey }) => appKey);
}

/** The stored manifest, packed; null if there is none. */
export async function manifestOf(db: Db, id: number): Promise<Buffer | null> {
  const row = await db.selectFrom('registries').where('id', '=', id).select('manifest').executeTakeFirst();
  return row?.manifest ?? null;
}
