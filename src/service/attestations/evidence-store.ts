import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { storableJson } from '../database/packed.ts';
import { OFFERED, VERSION_OF_APP } from '../database/sql-fragments.ts';
import type { Evidence } from './verdict.ts';

/** What is known about the attestations of a registry, for all of its subscribers. */

/** A key that subscribers of a registry want attestations to be verified with; without a key, `keySha256` is ''. */
export interface WantedKey {
  keySha256: string;
  /** PEM; null without a key. */
  publicKey: string | null;
}

/** The keys that the subscribers of a registry want; none if no subscriber wants attestations. */
export async function wantedKeys(db: Db, registryId: number): Promise<WantedKey[]> {
  const { rows } = await sql<WantedKey>`
    SELECT DISTINCT ON (1) coalesce(attestation_signer->>'keySha256', '') AS key_sha256,
      attestation_signer->>'publicKey' AS public_key
    FROM subscriptions JOIN organizations ON organizations.id = subscriptions.organization_id
    WHERE registry_id = ${registryId} AND attestations <> 'off' AND organizations.suspended_at IS NULL
    ORDER BY 1`.execute(db);
  return rows;
}

/** An offered version whose host is to be asked for its attestation, and what is known about it. */
export interface DueAttestation {
  appKey: string;
  version: string;
  artifactUrl: string;
  checksum: string;
  keySha256: string;
  /** Null if its host was not asked yet, or about another digest. */
  evidence: Evidence | null;
}

interface DueQuery {
  keys: readonly string[];
  /** Whether every host without a valid attestation is asked, whenever it was asked last. */
  all: boolean;
  now: Date;
  limit: number;
}

/**
 * The attestations to ask for: those that were never asked for, those that are unknown, and once a day those that are
 * missing or invalid; in the first day of a version, at every check.
 */
export async function dueAttestations(
  db: Db,
  registryId: number,
  { keys, all, now, limit }: DueQuery,
): Promise<DueAttestation[]> {
  const { rows } = await sql<
    Omit<DueAttestation, 'evidence'> & { state: Evidence['state'] | null; facts: Evidence['facts'] }
  >`
    SELECT versions.app_key, versions.version, versions.artifact_url, versions.artifact_checksum AS checksum,
      keys.key_sha256, known.state, known.facts
    FROM versions
      JOIN apps ON ${VERSION_OF_APP} AND apps.listed
      CROSS JOIN unnest(${keys}::text[]) AS keys (key_sha256)
      LEFT JOIN attestations AS known ON known.registry_id = versions.registry_id AND known.app_key = versions.app_key
        AND known.version = versions.version AND known.key_sha256 = keys.key_sha256
        AND known.checksum = versions.artifact_checksum
    WHERE versions.registry_id = ${registryId} AND ${OFFERED}
      AND (known.state IS NULL OR known.state IN ('unknown', 'url-signed')
        OR known.state <> 'proven' AND (${all}
          OR known.asked_at <= ${now}::timestamptz - INTERVAL '1 day'
          OR versions.first_seen_at > ${now}::timestamptz - INTERVAL '1 day'))
    ORDER BY known.asked_at NULLS FIRST, versions.first_seen_at DESC, versions.app_key, versions.version
    LIMIT ${limit}`.execute(db);
  return rows.map(({ state, facts, ...row }) => ({
    ...row,
    evidence: state === null ? null : { checksum: row.checksum, state, facts },
  }));
}

/** What was found about the attestation of a version. */
export interface FoundEvidence {
  appKey: string;
  version: string;
  keySha256: string;
  evidence: Evidence;
}

/** Records what was found; nothing about a version that has another digest by now, and nothing in place of a proof. */
export async function writeEvidence(
  db: Db,
  registryId: number,
  found: readonly FoundEvidence[],
  at: Date,
): Promise<void> {
  for (const { appKey, version, keySha256, evidence } of found) {
    const { checksum, state, facts } = evidence;
    const json = facts === null ? null : storableJson(facts);
    await sql`
      INSERT INTO attestations AS known (registry_id, app_key, version, key_sha256, checksum, state, facts, asked_at)
      SELECT registry_id, app_key, version, ${keySha256}, artifact_checksum, ${state}, ${json}::jsonb, ${at}
      FROM versions
      WHERE registry_id = ${registryId} AND app_key = ${appKey} AND version = ${version}
        AND artifact_checksum = ${checksum}
      ON CONFLICT (registry_id, app_key, version, key_sha256) DO UPDATE
        SET checksum = excluded.checksum, state = excluded.state, facts = excluded.facts, asked_at = excluded.asked_at
        WHERE known.state <> 'proven' OR known.checksum <> excluded.checksum`.execute(db);
  }
}

/** What is known about versions of an app, verified with one key or without, by version. */
export async function evidenceOf(
  db: Db,
  { registryId, appKey, keySha256 }: { registryId: number; appKey: string; keySha256: string },
  versions: readonly string[],
): Promise<Map<string, Evidence>> {
  const rows = await db
    .selectFrom('attestations')
    .where('registryId', '=', registryId)
    .where('appKey', '=', appKey)
    .where('keySha256', '=', keySha256)
    .where('version', '=', sql<string>`ANY(${versions})`)
    .select(['version', 'checksum', 'state', 'facts'])
    .execute();
  return new Map(rows.map(({ version, ...evidence }) => [version, evidence]));
}
