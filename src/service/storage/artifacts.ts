import { sql } from 'kysely';
import type { Db } from './database.ts';
import { storable } from './packed.ts';
import { OFFERED } from './sql-fragments.ts';
import { isUuid } from './uuid.ts';

/**
 * The verified bytes that the service keeps. A file is stored once, and belongs to every registry that has delivered
 * its bytes: nothing shows a registry that another one has them.
 */

/** A file in a store. */
export interface StoredArtifact {
  bytes: number;
  /** The SHA-256 of each part, one after the other. */
  partDigests: Buffer;
}

/** A version as far as its artifact may be handed over. */
export interface ArtifactVersion {
  registryId: number;
  appKey: string;
  version: string;
  artifactUrl: string;
  artifactChecksum: string;
  state: 'pending' | 'verified' | 'refused';
  rule: string | null;
  reason: string | null;
  /** Of the artifact, once it was verified. */
  bytes: number | null;
  /** Whether it, or its app, is not listed any more. */
  withdrawn: boolean;
  appListed: boolean;
}

/** @returns null if the organization has no such subscription, or its registry no such app or version */
export async function artifactVersionOf(
  db: Db,
  organizationId: string,
  { subscriptionId, key, version }: { subscriptionId: string; key: string; version: string },
): Promise<ArtifactVersion | null> {
  if (!isUuid(subscriptionId)) return null;
  const row = await db
    .selectFrom('subscriptions as s')
    .innerJoin('apps as a', 'a.registryId', 's.registryId')
    .innerJoin('versions as v', (join) =>
      join.onRef('v.registryId', '=', 'a.registryId').onRef('v.appKey', '=', 'a.key'),
    )
    .where('s.organizationId', '=', organizationId)
    .where('s.id', '=', subscriptionId)
    .where('a.key', '=', storable(key))
    .where('v.version', '=', storable(version))
    .select(['v.registryId', 'v.appKey', 'v.version', 'v.artifactUrl', 'v.artifactChecksum', 'v.state', 'v.rule'])
    .select([
      'v.reason',
      'v.bytes',
      'a.listed as appListed',
      sql<boolean>`v.withdrawn_at is not null or not a.listed`.as('withdrawn'),
    ])
    .executeTakeFirst();
  return row === undefined ? null : { ...row, bytes: row.bytes === null ? null : Number(row.bytes) };
}

/** A file that a registry has delivered; it counts as used. @returns null if it is not kept */
export async function useArtifact(
  db: Db,
  store: string,
  registryId: number,
  sha256: string,
): Promise<StoredArtifact | null> {
  const { rows } = await sql<{ bytes: string; partDigests: Buffer }>`
    update artifacts a set used_at = now() from kept_artifacts k
    where a.store = ${store} and a.sha256 = decode(${sha256}, 'hex') and a.stored_at is not null
      and k.store = a.store and k.sha256 = a.sha256 and k.registry_id = ${registryId}
    returning a.bytes, a.part_digests`.execute(db);
  const [row] = rows;
  return row ? { bytes: Number(row.bytes), partDigests: row.partDigests } : null;
}

/** Of these digests, those that a registry has delivered and the store keeps. */
export async function keptDigests(
  db: Db,
  store: string,
  registryId: number,
  digests: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ sha256: string }>`
    select encode(k.sha256, 'hex') as sha256 from kept_artifacts k join artifacts a using (store, sha256)
    where k.store = ${store} and k.registry_id = ${registryId} and a.stored_at is not null
      and encode(k.sha256, 'hex') = any(${digests})`.execute(db);
  return new Set(rows.map(({ sha256 }) => sha256));
}

/** Records that a registry has delivered a file that is stored. @returns false if it is not stored */
export async function linkArtifact(db: Db, store: string, registryId: number, sha256: string): Promise<boolean> {
  const { rows } = await sql`
    insert into kept_artifacts (store, sha256, registry_id)
    select store, sha256, ${registryId} from artifacts
    where store = ${store} and sha256 = decode(${sha256}, 'hex') and stored_at is not null
    on conflict (registry_id, store, sha256) do update set registry_id = excluded.registry_id returning 1`.execute(db);
  return rows.length > 0;
}

/** Reserves the room of a file that is about to be written. */
export async function reserveArtifact(
  db: Db,
  store: string,
  sha256: string,
  { bytes, partDigests }: StoredArtifact,
): Promise<void> {
  await sql`insert into artifacts (store, sha256, bytes, part_digests)
    values (${store}, decode(${sha256}, 'hex'), ${bytes}, ${partDigests})
    on conflict (store, sha256) do update set reserved_at = now()`.execute(db);
}

export async function confirmArtifact(db: Db, store: string, sha256: string): Promise<void> {
  await sql`update artifacts set stored_at = now(), used_at = now()
    where store = ${store} and sha256 = decode(${sha256}, 'hex')`.execute(db);
}

export async function forgetArtifact(db: Db, store: string, sha256: string): Promise<void> {
  await sql`delete from artifacts where store = ${store} and sha256 = decode(${sha256}, 'hex')`.execute(db);
}

/** The bytes of all files in a store, including those that are being written. */
export async function storedBytes(db: Db, store: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select coalesce(sum(bytes), 0) as bytes from artifacts where store = ${store}`.execute(db);
  return Number(rows[0]?.bytes ?? 0);
}

/** Bytes that no version offers are dropped first, then those that were not used for the longest time. */
const IS_OFFERED = sql<boolean>`exists (select from kept_artifacts k
    join versions v on v.registry_id = k.registry_id and v.artifact_checksum = 'sha256:' || encode(a.sha256, 'hex')
    join apps p on p.registry_id = v.registry_id and p.key = v.app_key
  where k.store = a.store and k.sha256 = a.sha256 and ${OFFERED} and p.listed)`;

/** The files to drop, in order. @param offered whether those may be dropped that a version offers */
export async function droppable(
  db: Db,
  store: string,
  { except, offered }: { except: string; offered: boolean },
): Promise<{ sha256: string; bytes: number }[]> {
  const { rows } = await sql<{ sha256: string; bytes: string }>`
    select encode(a.sha256, 'hex') as sha256, a.bytes from artifacts a
    where a.store = ${store} and a.stored_at is not null and a.sha256 <> decode(${except}, 'hex')
      ${offered ? sql`` : sql`and not ${IS_OFFERED}`}
    order by ${IS_OFFERED}, a.used_at limit 1000`.execute(db);
  return rows.map(({ sha256, bytes }) => ({ sha256, bytes: Number(bytes) }));
}

/** Files whose writing was interrupted, by a crash of their node. */
export async function abandonedArtifacts(db: Db, store: string): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    select encode(sha256, 'hex') as sha256 from artifacts
    where store = ${store} and stored_at is null and reserved_at < now() - interval '2 hours'`.execute(db);
  return rows.map(({ sha256 }) => sha256);
}

/** A verified version whose bytes are not kept. */
export interface UnkeptArtifact {
  registryId: number;
  ownerId: string | null;
  registryUrl: string;
  artifactUrl: string;
  sha256: string;
  bytes: number | null;
  /** Whether a subscriber waits for it. */
  requested: boolean;
}

/** When the bytes of a version are fetched that a subscriber waits for: before all others. */
const REQUESTED = new Date(0);
const IS_REQUESTED = sql<boolean>`coalesce(v.keep_after = ${REQUESTED}, false)`;

/** A subscriber waits for the bytes of a version. They are fetched again at most every ten seconds. */
export async function requestArtifact(
  db: Db,
  { registryId, appKey, version }: Pick<ArtifactVersion, 'registryId' | 'appKey' | 'version'>,
): Promise<void> {
  await sql`update versions set keep_after = ${REQUESTED}
    where registry_id = ${registryId} and app_key = ${appKey} and version = ${version}
      and (keep_after is null or keep_after < now() + interval '1 hour' - interval '10 seconds')`.execute(db);
}

/** Offered versions whose bytes are not kept yet, of registries with subscribers; each is returned once an hour. */
export async function takeUnkept(db: Db, store: string, limit: number): Promise<UnkeptArtifact[]> {
  const { rows } = await sql<UnkeptArtifact & { bytes: string | null }>`
    with chosen as (
      select v.registry_id, v.app_key, v.version, ${IS_REQUESTED} as requested from versions v
        join apps p on p.registry_id = v.registry_id and p.key = v.app_key
      where ${OFFERED} and p.listed and v.lost_at is null and (v.keep_after is null or v.keep_after < now())
        and exists (select from subscriptions s where s.registry_id = v.registry_id)
        and not exists (select from kept_artifacts k where k.registry_id = v.registry_id and k.store = ${store}
          and k.sha256 = decode(substr(v.artifact_checksum, 8), 'hex'))
      order by ${IS_REQUESTED} desc, v.version = p.latest desc, v.keep_after nulls first limit ${limit} for update of v skip locked)
    update versions v set keep_after = now() + interval '1 hour' from chosen c, registries r
    where v.registry_id = c.registry_id and v.app_key = c.app_key and v.version = c.version and r.id = v.registry_id
    returning v.registry_id, r.owner_id, r.url as registry_url, v.artifact_url,
      substr(v.artifact_checksum, 8) as sha256, v.bytes, c.requested`.execute(db);
  return rows.map((row) => ({ ...row, bytes: row.bytes === null ? null : Number(row.bytes) }));
}
