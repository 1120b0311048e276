import { type Db } from './database.ts';
import { sql } from 'kysely';
import { OFFERED, VERSION_OF_APP, HAS_SUBSCRIBERS } from './conditions.ts';
import { type ArtifactVersion } from './artifacts.ts';
import { type AppRecord } from '../domain/app-changes.ts';
import { type RetiredVersion } from '../domain/retirements.ts';
import { retiredVersions } from './about.ts';
import { type VersionChanges } from '../domain/version.ts';
import { type NewEvent } from '../domain/events.ts';
import { putVersions } from './app-records.ts';
import { recordRegistryEvents } from './events.ts';

/** Versions whose bytes are not kept: those to fetch, and those whose host has lost them as well. */

/** The host of an artifact did not send the verified bytes: the next refresh, which is due now, asks it again. */
export async function distrustArtifact(db: Db, registryId: number, artifactUrl: string): Promise<void> {
  await sql`UPDATE versions SET asked_at = NULL, validators = NULL
    WHERE registry_id = ${registryId} AND artifact_url = ${artifactUrl} AND ${OFFERED}`.execute(db);
  await sql`UPDATE registries SET next_check_at = least(next_check_at, now()) WHERE id = ${registryId}`.execute(db);
}

/** A verified version whose bytes are not kept. */
export interface UnkeptArtifact {
  registryId: number;
  ownerId: string | null;
  registryUrl: string;
  artifactUrl: string;
  sha256: string;
  bytes: number | null;
  /** True if a subscriber waits for it. */
  requested: boolean;
}

/** When the bytes of a version are fetched that a subscriber waits for: before all others. */
const REQUESTED = new Date(0);
const IS_REQUESTED = sql<boolean>`coalesce(versions.keep_after = ${REQUESTED}, FALSE)`;

/** A subscriber waits for the bytes of a version. They are fetched again at most every ten seconds. */
export async function requestArtifact(
  db: Db,
  { registryId, appKey, version }: Pick<ArtifactVersion, 'registryId' | 'appKey' | 'version'>,
): Promise<void> {
  await sql`UPDATE versions SET keep_after = ${REQUESTED}
    WHERE registry_id = ${registryId} AND app_key = ${appKey} AND version = ${version}
      AND (keep_after IS NULL OR keep_after < now() + INTERVAL '1 hour' - INTERVAL '10 seconds')`.execute(db);
}

/**
 * Offered versions whose bytes are not kept yet, of registries that are checked; each is returned once an hour.
 * @param onlyRequested only those that a subscriber waits for: an index finds them, while the others take a comparison of
 *   all versions with all files
 */
export async function claimUnkeptArtifacts(
  db: Db,
  store: string,
  limit: number,
  onlyRequested: boolean,
): Promise<UnkeptArtifact[]> {
  const isDue = onlyRequested
    ? sql`versions.keep_after = ${REQUESTED}`
    : sql`(versions.keep_after IS NULL OR versions.keep_after < now())`;
  const { rows } = await sql<UnkeptArtifact & { bytes: string | null }>`
    WITH chosen AS (
      SELECT versions.registry_id, versions.app_key, versions.version, ${IS_REQUESTED} AS requested
      FROM versions JOIN apps ON ${VERSION_OF_APP} JOIN registries ON registries.id = versions.registry_id
      WHERE ${isDue} AND ${OFFERED} AND apps.listed AND versions.lost_at IS NULL AND ${HAS_SUBSCRIBERS}
        AND NOT EXISTS (
          SELECT FROM kept_artifacts
          WHERE kept_artifacts.registry_id = versions.registry_id AND kept_artifacts.store = ${store}
            AND kept_artifacts.sha256 = decode(substr(versions.artifact_checksum, 8), 'hex'))
      ORDER BY ${IS_REQUESTED} DESC, versions.version = apps.latest DESC, versions.keep_after NULLS FIRST
      LIMIT ${limit} FOR UPDATE OF versions SKIP LOCKED)
    UPDATE versions SET keep_after = now() + INTERVAL '1 hour' FROM chosen, registries
    WHERE versions.registry_id = chosen.registry_id AND versions.app_key = chosen.app_key
      AND versions.version = chosen.version AND registries.id = versions.registry_id
    RETURNING versions.registry_id, registries.owner_id, registries.url AS registry_url, versions.artifact_url,
      substr(versions.artifact_checksum, 8) AS sha256, versions.bytes, chosen.requested`.execute(db);
  return rows.map((row) => ({ ...row, bytes: row.bytes === null ? null : Number(row.bytes) }));
}

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
