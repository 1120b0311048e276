import type { RememberedApp } from 'appreg/node';
import { type AppRecord } from '../domain/app-changes.ts';
import { type Db } from './database.ts';
import { storable } from '../domain/storable.ts';
import { storedAbouts } from './about.ts';
import { unpack } from './packed.ts';
import { NO_ABOUT } from '../domain/about.ts';
import { type StoredVersion } from '../domain/version.ts';
import { sql } from 'kysely';

/** Apps that are read in batches, in the order in which a refresh needs them. */
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

/** Keys of the apps that ever had a pinned version. */
export async function keysWithPinnedVersions(db: Db, registryId: number): Promise<string[]> {
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

const ROWS_PER_STATEMENT = 1000;

/** A pinned digest never changes: this is enforced in the query, not by the caller. */
export async function putVersions(
  db: Db,
  registryId: number,
  appKey: string,
  versions: readonly StoredVersion[],
): Promise<void> {
  const isOtherDigestPinned = sql<boolean>`versions.verified_at IS NOT NULL AND versions.artifact_checksum <> excluded.artifact_checksum`;
  for (let start = 0; start < versions.length; start += ROWS_PER_STATEMENT)
    await db
      .insertInto('versions')
      .values(versions.slice(start, start + ROWS_PER_STATEMENT).map((row) => insertable(registryId, appKey, row)))
      .onConflict((conflict) =>
        conflict
          .columns(['registryId', 'appKey', 'version'])
          .doUpdateSet({
            artifactUrl: sql`excluded.artifact_url`,
            artifactChecksum: sql`excluded.artifact_checksum`,
            firstSeenAt: sql`excluded.first_seen_at`,
            state: sql`excluded.state`,
            rule: sql`excluded.rule`,
            reason: sql`excluded.reason`,
            verifiedAt: sql`excluded.verified_at`,
            triedAt: sql`excluded.tried_at`,
            bytes: sql`excluded.bytes`,
            swappedChecksum: sql`excluded.swapped_checksum`,
            servedChecksum: sql`excluded.served_checksum`,
            withdrawnAt: sql`excluded.withdrawn_at`,
            lostAt: sql`excluded.lost_at`,
            validators: sql`excluded.validators`,
            askedAt: sql`excluded.asked_at`,
          })
          .where(sql<boolean>`NOT (${isOtherDigestPinned})`),
      )
      .execute();
}

function insertable(registryId: number, appKey: string, { validators, ...row }: StoredVersion) {
  return { ...row, registryId, appKey, validators: validators === null ? null : JSON.stringify(validators) };
}

/** Deletes versions that were never pinned; another node may have verified one in the meantime, which is kept. */
export async function deleteUnverified(
  db: Db,
  registryId: number,
  appKey: string,
  versions: readonly string[],
): Promise<void> {
  if (versions.length === 0) return;
  await db
    .deleteFrom('versions')
    .where('registryId', '=', registryId)
    .where('appKey', '=', appKey)
    .where('version', '=', sql<string>`ANY(${versions})`)
    .where('verifiedAt', 'is', null)
    .execute();
}
