import { sql } from 'kysely';
import type { RememberedApp } from '../../observe/registry/cache/observation-cache.ts';
import type { Db } from './database.ts';
import { pack } from './packed.ts';
import type { GoodIcon } from '../refresh/icon-collector.ts';
import type { Kept, StoredVersion } from '../refresh/version-lifecycle.ts';
import type { AppRecord } from './app-records.ts';

/** Writes the refreshed state of one app: only changed rows, in one transaction. */

export interface AppChange {
  visible: boolean | null;
  because: readonly string[];
  failingSince: Date | null;
  /** The new state of its versions; null if the list of versions could not be read. */
  versions: Kept | null;
  /** A new icon; null if it was removed; undefined if unchanged. */
  icon: GoodIcon | null | undefined;
  remembered: RememberedApp | null;
}

const AT_ONCE = 1000;
/** foreign_key_violation */
const ICON_GONE = '23503';

/** @returns whether anything was written */
export async function writeApp(db: Db, registryId: number, before: AppRecord, change: AppChange): Promise<boolean> {
  const { key } = before;
  const latest = change.versions ? change.versions.latest : before.latest;
  const digest = change.icon === undefined ? before.icon : (change.icon?.sha256 ?? null);
  const sameIcon = before.icon === null ? digest === null : digest !== null && before.icon.equals(digest);
  const isSame =
    before.visible === change.visible &&
    before.because.join() === change.because.join() &&
    before.latest === latest &&
    before.failingSince?.getTime() === change.failingSince?.getTime() &&
    sameIcon;
  const { put = [], drop = [] } = change.versions ?? {};
  if (isSame && change.remembered === null && put.length === 0 && drop.length === 0) return false;
  const remembered = change.remembered === null ? {} : { remembered: await pack(change.remembered) };
  const write = async (tx: Db): Promise<void> => {
    if (!sameIcon && change.icon)
      await tx
        .insertInto('icons')
        .values(change.icon)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    await tx
      // The last outcome depends on rows that are about to change.
      .with('unsettled', (cte) =>
        cte
          .updateTable('registries')
          .set({ standing: null })
          .where('id', '=', registryId)
          .where('standing', 'is not', null),
      )
      .updateTable('apps')
      .set({
        visible: change.visible,
        because: [...change.because],
        latest,
        failingSince: change.failingSince,
        icon: digest,
        ...remembered,
      })
      .where('registryId', '=', registryId)
      .where('key', '=', key)
      .execute();
    if (drop.length > 0)
      await tx
        .deleteFrom('versions')
        .where('registryId', '=', registryId)
        .where('appKey', '=', key)
        .where('version', '=', sql<string>`any(${drop})`)
        // Another node may have verified its bytes in the meantime.
        .where('verifiedAt', 'is', null)
        .execute();
    for (let i = 0; i < put.length; i += AT_ONCE) await putVersions(tx, registryId, key, put.slice(i, i + AT_ONCE));
  };
  await db
    .transaction()
    .execute(write)
    .catch((error: { code?: string }) => {
      // The icon was no longer used by any other app, and has just been deleted.
      if (error.code !== ICON_GONE) throw error;
      return db.transaction().execute(write);
    });
  return true;
}

/** A digest in force never changes: this is enforced in the query, not by the caller. */
async function putVersions(db: Db, registryId: number, appKey: string, rows: readonly StoredVersion[]): Promise<void> {
  const keep = sql<boolean>`versions.verified_at is not null and versions.artifact_checksum <> excluded.artifact_checksum`;
  await db
    .insertInto('versions')
    .values(rows.map((row) => ({ ...row, registryId, appKey })))
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
          withdrawnAt: sql`excluded.withdrawn_at`,
        })
        .where(sql<boolean>`not (${keep})`),
    )
    .execute();
}

/** Deletes icons that no app uses any more. */
export async function dropOrphanedIcons(db: Db): Promise<void> {
  await sql`delete from icons i where not exists (select from apps a where a.icon = i.sha256)`.execute(db);
}
