import { type Db } from './database.ts';
import { sql } from 'kysely';
import { VERSION_OF_APP, OFFERED, CONFIRMED, OFFERED_TO, ATTESTED_TO } from './conditions.ts';
import { type StoredVersion } from '../domain/version.ts';
import { isUuid } from './page.ts';
import { storable } from '../domain/storable.ts';

/** All files of a store, as far as it decides which of them are dropped. */

/** A file in the store. */
export interface StoredFile {
  sha256: string;
  bytes: number;
  /** When it was last sent or stored, in milliseconds. */
  usedAt: number;
  /** False while it is being written: it is counted, and cannot be dropped. */
  stored: boolean;
  /** The organizations that subscribe to a registry that has delivered it. */
  owners: readonly string[];
  /** True if a version offers it. */
  offered: boolean;
  /** True if it is a last copy. */
  last: boolean;
}

/** Nodes change the files of a store one after the other, until the end of the transaction. */
export async function lockStore(tx: Db, store: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`artifacts ${store}`}, 0))`.execute(tx);
}

export async function listStoredFiles(db: Db, store: string): Promise<StoredFile[]> {
  const { rows } = await sql<FileRow>`
    WITH offered AS (
      SELECT versions.registry_id, versions.artifact_checksum, bool_or(versions.lost_at IS NOT NULL) AS last
      FROM versions JOIN apps ON ${VERSION_OF_APP}
      WHERE ${OFFERED} AND apps.listed
        AND versions.registry_id IN (SELECT registry_id FROM kept_artifacts WHERE store = ${store})
      GROUP BY versions.registry_id, versions.artifact_checksum)
    SELECT encode(artifacts.sha256, 'hex') AS sha256, artifacts.bytes, artifacts.used_at,
      artifacts.stored_at IS NOT NULL AS stored,
      coalesce(array_agg(kept.registry_id) FILTER (WHERE kept.registry_id IS NOT NULL), '{}') AS registries,
      count(offered.registry_id) > 0 AS offered, coalesce(bool_or(offered.last), FALSE) AS last
    FROM artifacts
      LEFT JOIN kept_artifacts AS kept ON kept.store = artifacts.store AND kept.sha256 = artifacts.sha256
      LEFT JOIN offered ON offered.registry_id = kept.registry_id
        AND offered.artifact_checksum = 'sha256:' || encode(artifacts.sha256, 'hex')
    WHERE artifacts.store = ${store}
    GROUP BY artifacts.store, artifacts.sha256`.execute(db);
  const owners = await subscribersOf(db, [...new Set(rows.flatMap(({ registries }) => registries))]);
  return rows.map(({ sha256, bytes, usedAt, registries, ...rest }) => ({
    ...rest,
    sha256,
    bytes: Number(bytes),
    usedAt: usedAt.getTime(),
    owners: [...new Set(registries.flatMap((id) => owners.get(id) ?? []))],
  }));
}

interface FileRow extends Omit<StoredFile, 'bytes' | 'usedAt' | 'owners'> {
  bytes: string;
  usedAt: Date;
  registries: number[];
}

/** The organizations that subscribe to registries. */
export async function subscribersOf(db: Db, registryIds: readonly number[]): Promise<Map<number, string[]>> {
  if (registryIds.length === 0) return new Map();
  const { rows } = await sql<{ registryId: number; owners: string[] }>`
    SELECT registry_id, array_agg(DISTINCT organization_id) AS owners FROM subscriptions
    WHERE registry_id = ANY(${registryIds}) GROUP BY registry_id`.execute(db);
  return new Map(rows.map(({ registryId, owners }) => [registryId, owners]));
}

/**
 * The verified bytes that the service keeps. A file is stored once, and belongs to every registry that has delivered
 * its bytes: nothing shows a registry that another one has them.
 */

/** A file in a store. */
interface StoredArtifact {
  bytes: number;
  /** The SHA-256 of each part, one after the other. */
  partDigests: Buffer;
}

/** A version as far as its artifact may be handed over. */
export interface ArtifactVersion extends Pick<
  StoredVersion,
  'version' | 'artifactUrl' | 'artifactChecksum' | 'state' | 'rule' | 'reason' | 'bytes'
> {
  registryId: number;
  appKey: string;
  /** True if it, or its app, is no longer listed. */
  withdrawn: boolean;
  appListed: boolean;
  /** True if its host no longer has the artifact. */
  lost: boolean;
  /** True if the organization is offered it, provided that its app is listed. */
  offered: boolean;
  /** True if its attestations allow it: its policy is applied only to such versions. */
  attested: boolean;
}

/** The place of a version in the subscriptions of an organization. */
interface VersionPlace {
  subscriptionId: string;
  key: string;
  version: string;
}

/**
 * True if it is not known yet which versions an app lists: its metadata file was not read, or the manifest was not
 * read since the subscription.
 */
export async function isUnread(
  db: Db,
  organizationId: string,
  { subscriptionId, key }: Pick<VersionPlace, 'subscriptionId' | 'key'>,
): Promise<boolean> {
  if (!isUuid(subscriptionId)) return false;
  const row = await db
    .selectFrom('subscriptions')
    .innerJoin('registries', 'registries.id', 'subscriptions.registryId')
    .leftJoin('apps', (join) =>
      join
        .onRef('apps.registryId', '=', 'registries.id')
        .on('apps.key', '=', storable(key))
        .on('apps.listed', '=', true),
    )
    .where('subscriptions.organizationId', '=', organizationId)
    .where('subscriptions.id', '=', subscriptionId)
    .select([
      'apps.key',
      'apps.visible',
      'apps.failingSince',
      'registries.checkedAt',
      'subscriptions.confirmedAt',
      'subscriptions.refusedAt',
      sql<boolean>`EXISTS (SELECT FROM versions WHERE ${VERSION_OF_APP})`.as('hasVersions'),
      sql<boolean>`EXISTS (SELECT FROM apps AS listed WHERE listed.registry_id = registries.id)`.as('hasApps'),
    ])
    .executeTakeFirst();
  if (row === undefined) return false;
  if (row.confirmedAt === null) return row.refusedAt === null;
  if (row.key === null) return row.checkedAt === null && !row.hasApps;
  return row.visible === null && row.failingSince === null && !row.hasVersions;
}

/** @returns null if the organization has no such subscription, or its registry no such app or version */
export async function artifactVersionOf(
  db: Db,
  organizationId: string,
  { subscriptionId, key, version }: VersionPlace,
): Promise<ArtifactVersion | null> {
  if (!isUuid(subscriptionId)) return null;
  const row = await db
    .selectFrom('subscriptions')
    .innerJoin('apps', 'apps.registryId', 'subscriptions.registryId')
    .innerJoin('versions', (join) =>
      join.onRef('versions.registryId', '=', 'apps.registryId').onRef('versions.appKey', '=', 'apps.key'),
    )
    .where('subscriptions.organizationId', '=', organizationId)
    .where('subscriptions.id', '=', subscriptionId)
    .where(CONFIRMED)
    .where('apps.key', '=', storable(key))
    .where('versions.version', '=', storable(version))
    .select([
      'versions.registryId',
      'versions.appKey',
      'versions.version',
      'versions.artifactUrl',
      'versions.artifactChecksum',
      'versions.state',
      'versions.rule',
    ])
    .select([
      'versions.reason',
      'versions.bytes',
      'apps.listed as appListed',
      sql<boolean>`versions.withdrawn_at IS NOT NULL OR NOT apps.listed`.as('withdrawn'),
      sql<boolean>`versions.lost_at IS NOT NULL`.as('lost'),
      OFFERED_TO.as('offered'),
      ATTESTED_TO.as('attested'),
    ])
    .executeTakeFirst();
  return row === undefined ? null : { ...row, bytes: row.bytes === null ? null : Number(row.bytes) };
}

/** The registries that have delivered a file. */
const KEPT = sql`kept_artifacts.store = artifacts.store AND kept_artifacts.sha256 = artifacts.sha256`;

/** A file that a registry has delivered; it counts as used. @returns null if it is not kept */
export async function useArtifact(
  db: Db,
  store: string,
  registryId: number,
  sha256: string,
): Promise<StoredArtifact | null> {
  const { rows } = await sql<{ bytes: string; partDigests: Buffer }>`
    UPDATE artifacts SET used_at = now() FROM kept_artifacts
    WHERE artifacts.store = ${store} AND artifacts.sha256 = decode(${sha256}, 'hex')
      AND artifacts.stored_at IS NOT NULL AND ${KEPT} AND kept_artifacts.registry_id = ${registryId}
    RETURNING artifacts.bytes, artifacts.part_digests`.execute(db);
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
    SELECT encode(artifacts.sha256, 'hex') AS sha256 FROM kept_artifacts JOIN artifacts ON ${KEPT}
    WHERE artifacts.store = ${store} AND artifacts.stored_at IS NOT NULL
      AND kept_artifacts.registry_id = ${registryId}
      AND encode(kept_artifacts.sha256, 'hex') = ANY(${digests})`.execute(db);
  return new Set(rows.map(({ sha256 }) => sha256));
}

/** Records that a registry has delivered a file that is stored. @returns false if it is not stored */
export async function linkArtifact(db: Db, store: string, registryId: number, sha256: string): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO kept_artifacts (store, sha256, registry_id)
    SELECT store, sha256, ${registryId} FROM artifacts
    WHERE store = ${store} AND sha256 = decode(${sha256}, 'hex') AND stored_at IS NOT NULL
    ON CONFLICT (registry_id, store, sha256) DO UPDATE SET registry_id = excluded.registry_id RETURNING 1`.execute(db);
  return rows.length > 0;
}

/** Reserves the room of a file that is about to be written. */
export async function reserveArtifact(
  db: Db,
  store: string,
  sha256: string,
  { bytes, partDigests }: StoredArtifact,
): Promise<void> {
  await sql`INSERT INTO artifacts (store, sha256, bytes, part_digests)
    VALUES (${store}, decode(${sha256}, 'hex'), ${bytes}, ${partDigests})
    ON CONFLICT (store, sha256) DO UPDATE SET reserved_at = now()`.execute(db);
}

export async function confirmArtifact(db: Db, store: string, sha256: string): Promise<void> {
  await sql`UPDATE artifacts SET stored_at = now(), used_at = now()
    WHERE store = ${store} AND sha256 = decode(${sha256}, 'hex')`.execute(db);
}

export async function forgetArtifact(db: Db, store: string, sha256: string): Promise<void> {
  await sql`DELETE FROM artifacts WHERE store = ${store} AND sha256 = decode(${sha256}, 'hex')`.execute(db);
}

/** True if a file is stored, or about to be. */
export async function isReserved(db: Db, store: string, sha256: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM artifacts
    WHERE store = ${store} AND sha256 = decode(${sha256}, 'hex')`.execute(db);
  return rows.length > 0;
}

/** The bytes of all files in a store, including those that are being written. */
export async function storedBytes(db: Db, store: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    SELECT coalesce(sum(bytes), 0) AS bytes FROM artifacts WHERE store = ${store}`.execute(db);
  return Number(rows[0]?.bytes ?? 0);
}

/** Files whose writing was interrupted, by a crash of their node. */
export async function abandonedArtifacts(db: Db, store: string): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    SELECT encode(sha256, 'hex') AS sha256 FROM artifacts
    WHERE store = ${store} AND stored_at IS NULL AND reserved_at < now() - INTERVAL '2 hours'`.execute(db);
  return rows.map(({ sha256 }) => sha256);
}
