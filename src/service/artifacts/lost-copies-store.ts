import { sql } from 'kysely';
import type { RetiredVersion } from '../about/changes.ts';
import { retiredVersions } from '../about/store.ts';
import type { NewEvent } from '../history/events.ts';
import type { AppRecord } from '../apps/records-store.ts';
import type { Db } from '../database/database.ts';
import { recordRegistryEvents } from '../history/store.ts';
import { OFFERED, VERSION_OF_APP } from '../database/sql-fragments.ts';
import { putVersions, type VersionChanges } from '../apps/versions-store.ts';

/** Versions whose host has lost the artifact, and whose copy the service has lost as well. */

/** A version of an app. */
export interface VersionPlace {
  registryId: number;
  appKey: string;
  version: string;
}

/** Offered versions whose host has lost the artifact, and which the store does not keep. Their rows are locked. */
export async function lockLostVersions(tx: Db, store: string): Promise<VersionPlace[]> {
  const { rows } = await sql<VersionPlace>`
    SELECT versions.registry_id, versions.app_key, versions.version
    FROM versions JOIN apps ON ${VERSION_OF_APP}
    WHERE versions.lost_at IS NOT NULL AND ${OFFERED} AND apps.listed
      AND NOT EXISTS (
        SELECT FROM kept_artifacts JOIN artifacts USING (store, sha256)
        WHERE kept_artifacts.registry_id = versions.registry_id AND store = ${store}
          AND artifacts.stored_at IS NOT NULL
          AND 'sha256:' || encode(kept_artifacts.sha256, 'hex') = versions.artifact_checksum)
    ORDER BY versions.registry_id, versions.app_key, versions.version
    FOR UPDATE OF versions`.execute(tx);
  return rows;
}

/** An app that loses versions. */
interface LosingApp extends Omit<AppRecord, 'icon' | 'remembered' | 'about'> {
  /** The versions that the author retired. */
  retired: readonly RetiredVersion[];
}

/** The part of an app's row that decides whether it can be installed, and its versions. */
export async function readLosingApp(
  tx: Db,
  { registryId, appKey }: Pick<VersionPlace, 'registryId' | 'appKey'>,
): Promise<LosingApp> {
  const app = await tx
    .selectFrom('apps')
    .where('registryId', '=', registryId)
    .where('key', '=', appKey)
    .select(['key', 'visible', 'because', 'latest', 'failingSince', 'hidden'])
    .executeTakeFirstOrThrow();
  const rows = await tx
    .selectFrom('versions')
    .where('registryId', '=', registryId)
    .where('appKey', '=', appKey)
    .selectAll()
    .execute();
  const versions = rows.map((row) => ({ ...row, bytes: row.bytes === null ? null : Number(row.bytes) }));
  return { ...app, versions, retired: await retiredVersions(tx, { registryId, appKey }) };
}

/** Writes that versions are refused, with the events. The next refresh of the registry is a full one. */
export async function writeLosingApp(
  tx: Db,
  { registryId, appKey }: Pick<VersionPlace, 'registryId' | 'appKey'>,
  change: VersionChanges & { hidden: boolean; events: readonly NewEvent[]; at: Date },
): Promise<void> {
  const { changed, latest, hidden, events, at } = change;
  await putVersions(tx, registryId, appKey, changed);
  await tx
    .updateTable('apps')
    .set({ latest, hidden })
    .where('registryId', '=', registryId)
    .where('key', '=', appKey)
    .execute();
  await tx.updateTable('registries').set({ unchangedToken: null }).where('id', '=', registryId).execute();
  await recordRegistryEvents(tx, registryId, at, events);
}
