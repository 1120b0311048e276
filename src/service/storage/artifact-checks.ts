import { sql } from 'kysely';
import { inBatches } from './batch.ts';
import type { Db } from './database.ts';
import type { RegistryClaim } from './registry-claim.ts';
import { OFFERED } from './sql-fragments.ts';
import type { Validators } from './tables.ts';

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

export interface ArtifactSelection {
  registryId: number;
  /** Artifacts that were last asked for before this time are due. */
  before: Date;
  /** The share of all artifacts that is asked for in any case, the longest ago first; without those that are not due
   * and that can only be compared by fetching them. */
  share: number;
  limit: number;
}

export interface SelectedArtifacts {
  artifacts: OfferedArtifact[];
  /** Whether more are due than `limit`. */
  isLimited: boolean;
}

const BATCH_LIMIT = 64;
const selectorsByDatabase = new WeakMap<Db, (selection: ArtifactSelection) => Promise<SelectedArtifacts>>();

/** The offered artifacts that a refresh asks for; concurrent refreshes share a statement. */
export function selectArtifacts(db: Db, selection: ArtifactSelection): Promise<SelectedArtifacts> {
  let select = selectorsByDatabase.get(db);
  if (select === undefined)
    selectorsByDatabase.set(db, (select = inBatches((batch) => selectBatch(db, batch), BATCH_LIMIT)));
  return select(selection);
}

async function selectBatch(db: Db, selections: readonly ArtifactSelection[]): Promise<SelectedArtifacts[]> {
  const numbered = selections.map((selection, number) => ({ ...selection, number }));
  const { rows } = await sql<OfferedArtifact & { number: number }>`
    select s.number, o.app_key, o.version, o.artifact_url, coalesce(o.bytes, 0)::float8 as bytes, o.verified_at,
      o.validators
    from unnest(${numbered.map(({ number }) => number)}::int[],
        ${numbered.map(({ registryId }) => registryId)}::int[],
        ${numbered.map(({ before }) => before)}::timestamptz[],
        ${numbered.map(({ share }) => share)}::float8[],
        ${numbered.map(({ limit }) => limit)}::int[]) as s (number, registry_id, before, share, most)
      cross join lateral (
        select least(s.most + 1, greatest(floor(count(*) * s.share),
          count(*) filter (where v.asked_at is null or v.asked_at <= s.before)))::int as size
        from versions v where v.registry_id = s.registry_id and ${OFFERED}) as amount
      cross join lateral (
        select v.* from versions v
          join apps a on a.registry_id = v.registry_id and a.key = v.app_key and a.listed
        where v.registry_id = s.registry_id and ${OFFERED}
          and (v.asked_at is null or v.asked_at <= s.before or jsonb_path_exists(v.validators,
            '$[*] ? (@.etag != null || @.lastModified != null)'))
        order by v.asked_at nulls first, v.app_key, v.version limit amount.size) as o`.execute(db);
  return numbered.map(({ number, limit }) => {
    const own = rows.filter((row) => row.number === number);
    return { artifacts: own.slice(0, limit), isLimited: own.length > limit };
  });
}

/**
 * A subscriber requests that all artifacts are asked for: the next refresh does so.
 * @returns false if the next refresh would do so in any case
 */
export async function requestArtifactCheck(db: Db, registryId: number): Promise<boolean> {
  const { rows } = await sql<{ artifactsRequestedAt: Date | null }>`
    update registries r set artifacts_requested_at = now()
    from registries before
    where r.id = ${registryId} and before.id = r.id returning before.artifacts_requested_at`.execute(db);
  return rows.every((row) => row.artifactsRequestedAt === null);
}

/** Makes all offered artifacts of a registry due, if a subscriber has requested it. */
export async function startRequestedCheck(db: Db, registryId: number): Promise<void> {
  await sql`
    with requested as (
      update registries set artifacts_requested_at = null
      where id = ${registryId} and artifacts_requested_at is not null returning id)
    update versions v set asked_at = null from requested
    where v.registry_id = requested.id and ${OFFERED} and v.asked_at is not null`.execute(db);
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
      update versions v set asked_at = w.asked_at
      from unnest(${rows.map(({ appKey }) => appKey)}::text[], ${rows.map(({ version }) => version)}::text[],
        ${rows.map(({ askedAt }) => askedAt)}::timestamptz[]) as w (app_key, version, asked_at)
      where v.registry_id = ${registryId} and v.app_key = w.app_key and v.version = w.version
        and exists (select from registries where id = ${registryId} and refresh_number = ${refreshNumber})`.execute(db);
  }
}
