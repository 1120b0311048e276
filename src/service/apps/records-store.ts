import type { RememberedApp } from '../../observe/registry/cache/observation-cache.ts';
import { NO_ABOUT, type StoredAbout } from '../about/changes.ts';
import { storedAbouts } from '../about/store.ts';
import type { Db } from '../database/database.ts';
import { storable, unpack } from '../database/packed.ts';
import type { StoredApp, StoredVersion } from '../database/tables.ts';

/** The rows of a registry's apps, read in batches in the order in which a refresh needs them. */

export interface AppRecord extends Pick<
  StoredApp,
  'key' | 'icon' | 'visible' | 'because' | 'latest' | 'failingSince' | 'hidden'
> {
  remembered: RememberedApp | null;
  versions: StoredVersion[];
  about: StoredAbout;
}

export interface AppRecords {
  /** Sets the order in which apps will be requested. */
  order(keys: readonly string[]): void;
  /** An app, or null if it has no row. It is retained until released. */
  read(key: string): Promise<AppRecord | null>;
  /** The same, for an app that was already read. */
  loaded(key: string): AppRecord | null;
  release(key: string): void;
}

/** The number of apps observed concurrently. */
const BATCH_SIZE = 24;

export function openAppRecords(db: Db, registryId: number): AppRecords {
  const loading = new Map<string, Promise<AppRecord | null>>();
  const loaded = new Map<string, AppRecord>();
  let order: readonly string[] = [];
  let next = 0;

  function loadBatch(): void {
    const keys = order.slice(next, next + BATCH_SIZE);
    next += keys.length;
    const batch = readApps(db, registryId, keys);
    for (const key of keys) {
      const record = batch.then((apps) => apps.get(key) ?? null);
      // Reported by `read`, unless the refresh ends before.
      record.catch(() => {});
      loading.set(key, record);
    }
  }

  return {
    order(keys) {
      // A key that the database cannot store has no row.
      order = keys.filter((key) => storable(key) === key);
      next = 0;
    },
    async read(key) {
      while (!loading.has(key) && next < order.length && storable(key) === key) loadBatch();
      const record = (await loading.get(key)) ?? null;
      if (record) loaded.set(key, record);
      return record;
    },
    loaded: (key) => loaded.get(key) ?? null,
    release(key) {
      loading.delete(key);
      loaded.delete(key);
    },
  };
}

async function readApps(db: Db, registryId: number, keys: readonly string[]): Promise<Map<string, AppRecord>> {
  const [apps, versions, abouts] = await Promise.all([
    db
      .selectFrom('apps')
      .where('registryId', '=', registryId)
      .where('key', 'in', keys)
      .select(['key', 'icon', 'visible', 'because', 'latest', 'failingSince', 'hidden', 'remembered'])
      .execute(),
    db.selectFrom('versions').where('registryId', '=', registryId).where('appKey', 'in', keys).selectAll().execute(),
    storedAbouts(db, registryId, keys),
  ]);
  const records = new Map<string, AppRecord>();
  for (const { remembered, ...row } of apps)
    records.set(row.key, {
      ...row,
      remembered: remembered === null ? null : await unpack<RememberedApp>(remembered),
      versions: [],
      about: abouts.get(row.key) ?? NO_ABOUT,
    });
  for (const { registryId: _, appKey, bytes, ...row } of versions)
    records.get(appKey)?.versions.push({ ...row, bytes: bytes === null ? null : Number(bytes) });
  return records;
}
