import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { OFFERED, VERSION_OF_APP } from '../database/sql-fragments.ts';

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
  /** Whether a version offers it. */
  offered: boolean;
  /** Whether it is a last copy. */
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
