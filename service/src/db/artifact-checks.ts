import { type Validators } from '../domain/version.ts';
import { inBatchesOf } from './batch.ts';
import { type Db } from './database.ts';
import { sql } from 'kysely';
import { OFFERED, VERSION_OF_APP } from './conditions.ts';
import { type RegistryClaim } from './claims.ts';

/** Which artifacts a refresh asks their hosts for, and when they were last asked. */

/** An offered version whose artifact is to be asked for. */
export interface OfferedArtifact {
  appKey: string;
  version: string;
  artifactUrl: string;
  bytes: number;
  verifiedAt: Date;
  validators: Validators[] | null;
}

interface ArtifactSelection {
  registryId: number;
  /** Artifacts that were last asked for before this time are due. */
  before: Date;
  /** The share of all artifacts that is asked for in any case, the longest ago first; without those that are not due
   * and that can only be compared by fetching them. */
  share: number;
  limit: number;
}

interface SelectedArtifacts {
  artifacts: OfferedArtifact[];
  /** True if more are due than `limit`. */
  isLimited: boolean;
}

const BATCH_LIMIT = 64;

/** The offered artifacts that a refresh asks for; concurrent refreshes share a statement. */
export const selectArtifacts = inBatchesOf(selectBatch, BATCH_LIMIT);

async function selectBatch(db: Db, selections: readonly ArtifactSelection[]): Promise<SelectedArtifacts[]> {
  const numbered = selections.map((selection, number) => ({ ...selection, number }));
  const { rows } = await sql<OfferedArtifact & { number: number }>`
    SELECT selections.number, offered.app_key, offered.version, offered.artifact_url,
      coalesce(offered.bytes, 0)::float8 AS bytes, offered.verified_at, offered.validators
    FROM unnest(${numbered.map(({ number }) => number)}::int[],
        ${numbered.map(({ registryId }) => registryId)}::int[],
        ${numbered.map(({ before }) => before)}::timestamptz[],
        ${numbered.map(({ share }) => share)}::float8[],
        ${numbered.map(({ limit }) => limit)}::int[]) AS selections (number, registry_id, before, share, max_count)
      CROSS JOIN LATERAL (
        SELECT least(selections.max_count + 1, greatest(
          floor(count(*) * selections.share),
          count(*) FILTER (WHERE versions.asked_at IS NULL OR versions.asked_at <= selections.before)))::int AS size
        FROM versions WHERE versions.registry_id = selections.registry_id AND ${OFFERED}) AS amount
      CROSS JOIN LATERAL (
        SELECT versions.* FROM versions JOIN apps ON ${VERSION_OF_APP} AND apps.listed
        WHERE versions.registry_id = selections.registry_id AND ${OFFERED}
          AND (versions.asked_at IS NULL OR versions.asked_at <= selections.before
            OR jsonb_path_exists(versions.validators, '$[*] ? (@.etag != null || @.lastModified != null)'))
        ORDER BY versions.asked_at NULLS FIRST, versions.app_key, versions.version
        LIMIT amount.size) AS offered`.execute(db);
  return numbered.map(({ number, limit }) => {
    const own = rows.filter((row) => row.number === number);
    return { artifacts: own.slice(0, limit), isLimited: own.length > limit };
  });
}

/**
 * A subscriber requests that all artifacts are asked for: the next refresh does so.
 * @returns false if the subscriber had requested it already; requests of others are not revealed
 */
export async function requestArtifactCheck(db: Db, registryId: number, subscriptionId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await sql`UPDATE registries SET artifacts_requested_at = now() WHERE id = ${registryId}`.execute(tx);
    const { rows } = await sql<{ checkRequestedAt: Date | null }>`
      UPDATE subscriptions SET check_requested_at = now()
      FROM subscriptions AS previous
      WHERE subscriptions.id = ${subscriptionId} AND previous.id = subscriptions.id
      RETURNING previous.check_requested_at`.execute(tx);
    return rows.every((row) => row.checkRequestedAt === null);
  });
}

/**
 * Makes all offered artifacts of a registry due, and their attestations that are not proven, if a subscriber has requested
 * it. They stay due if this refresh does not reach them.
 */
export async function startRequestedCheck(db: Db, registryId: number): Promise<void> {
  await sql`
    WITH requested AS (
      UPDATE registries SET artifacts_requested_at = NULL
      WHERE id = ${registryId} AND artifacts_requested_at IS NOT NULL RETURNING id),
    started AS (
      UPDATE subscriptions SET check_requested_at = NULL FROM requested
      WHERE subscriptions.registry_id = requested.id AND subscriptions.check_requested_at IS NOT NULL),
    attested AS (
      UPDATE attestations SET asked_at = 'epoch' FROM requested
      WHERE attestations.registry_id = requested.id AND attestations.state <> 'proven')
    UPDATE versions SET asked_at = NULL FROM requested
    WHERE versions.registry_id = requested.id AND ${OFFERED} AND versions.asked_at IS NOT NULL`.execute(db);
}

/** Rows per statement. */
const BATCH_SIZE = 5000;

/**
 * Records when artifacts were last confirmed by their host; null for those that must be asked for again. Nothing is
 * recorded if another refresh has taken over the registry.
 */
export async function writeAsked(
  db: Db,
  { id: registryId, refreshNumber }: RegistryClaim,
  asked: readonly { appKey: string; version: string; askedAt: Date | null }[],
): Promise<void> {
  for (let start = 0; start < asked.length; start += BATCH_SIZE) {
    const rows = asked.slice(start, start + BATCH_SIZE);
    await sql`
      UPDATE versions SET asked_at = asked.asked_at
      FROM unnest(${rows.map(({ appKey }) => appKey)}::text[], ${rows.map(({ version }) => version)}::text[],
        ${rows.map(({ askedAt }) => askedAt)}::timestamptz[]) AS asked (app_key, version, asked_at)
      WHERE versions.registry_id = ${registryId}
        AND versions.app_key = asked.app_key AND versions.version = asked.version
        AND EXISTS (SELECT FROM registries WHERE id = ${registryId} AND refresh_number = ${refreshNumber})`.execute(db);
  }
}
