import { sql } from 'kysely';
import type { Report } from '../../core/engine/report.ts';
import type { DocumentFacts } from '../../core/facts/facts.ts';
import { inBatches } from './batch.ts';
import type { Db } from './database.ts';
import { pack } from './packed.ts';
import { WANTED } from './sql-fragments.ts';

/** The rows of registries for refreshes: read and written in batches for concurrent refreshes. */

/** The state of a registry in the database. */
export interface RegistryRecord {
  id: number;
  url: string;
  failures: number;
  failingSince: Date | null;
  resumeAfter: string | null;
  errors: number;
  warnings: number;
  unchangedToken: string | null;
  due: boolean;
  /** Whether it has a subscriber that is not suspended. */
  wanted: boolean;
}

/** The end of a refresh that confirmed the last outcome. */
interface Confirmation {
  id: number;
  at: Date;
  nextCheckAt: Date;
  slow: boolean;
}

export interface RegistryRecords {
  /** @param now of the caller, in milliseconds since 1970; null if the registry does not exist */
  read(id: number, now: number): Promise<RegistryRecord | null>;
  /** @returns false if another refresh has changed the outcome in the meantime: then nothing is written */
  writeUnchanged(confirmation: Confirmation): Promise<boolean>;
}

const BATCH_LIMIT = 64;
const recordsByDatabase = new WeakMap<Db, RegistryRecords>();

/** Shared by all users of the same connections. */
export function registryRecords(db: Db): RegistryRecords {
  let records = recordsByDatabase.get(db);
  if (records === undefined) recordsByDatabase.set(db, (records = openRegistryRecords(db)));
  return records;
}

function openRegistryRecords(db: Db): RegistryRecords {
  const read = inBatches(async (requests: readonly { id: number; ahead: number }[]) => {
    const ids = requests.map(({ id }) => id);
    const ahead = requests.map((request) => request.ahead);
    // Uses the database's clock, which all nodes share.
    const { rows } = await sql<RegistryRecord>`
      select r.id, url, failures, failing_since, resume_after, errors, warnings, unchanged_token,
        next_check_at <= now() + make_interval(secs => ahead) as due,
        ${WANTED} as wanted
      from unnest(${ids}::int[], ${ahead}::float8[]) as requested (id, ahead)
        join registries r on r.id = requested.id`.execute(db);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  }, BATCH_LIMIT);

  const writeUnchanged = inBatches(async (confirmations: readonly Confirmation[]) => {
    const sorted = confirmations.toSorted((a, b) => a.id - b.id);
    const { rows } = await sql<{ id: number }>`
      update registries r set checked_at = c.at, good_at = c.at, next_check_at = c.next, slow = c.slow
      from unnest(${sorted.map(({ id }) => id)}::int[], ${sorted.map(({ at }) => at)}::timestamptz[],
        ${sorted.map(({ nextCheckAt }) => nextCheckAt)}::timestamptz[], ${sorted.map(({ slow }) => slow)}::boolean[])
        as c (id, at, next, slow)
      where r.id = c.id and unchanged_token is not null returning r.id`.execute(db);
    const written = new Set(rows.map(({ id }) => id));
    return confirmations.map(({ id }) => written.has(id));
  }, BATCH_LIMIT);

  return { read: (id, now) => read({ id, ahead: (now - Date.now()) / 1000 }), writeUnchanged };
}

/** The last observed manifest, packed; null if there is none. */
export async function packedManifestOf(db: Db, id: number): Promise<Buffer | null> {
  const row = await db.selectFrom('registries').where('id', '=', id).select('manifest').executeTakeFirst();
  return row?.manifest ?? null;
}

/** The end of a refresh that observed and judged. */
export interface RefreshResult {
  checkedAt: Date;
  /** Consecutive failed refreshes, including this one, and since when; 0 and null if the manifest was usable. */
  failures: number;
  failingSince: Date | null;
  nextCheckAt: Date;
  report: Report;
  slow: boolean;
  unchangedToken: string | null;
  /** What was learned from a usable manifest; null without one. */
  usable: {
    /** The key of the app at which the next refresh starts, or null. */
    resumeAfter: string | null;
    /** The manifest to store; null to keep the stored one. */
    manifest: DocumentFacts | null;
  } | null;
}

export async function writeRefreshResult(db: Db, id: number, result: RefreshResult): Promise<void> {
  const { usable, report, ...columns } = result;
  await db
    .updateTable('registries')
    .set({
      ...columns,
      errors: report.summary.errors,
      warnings: report.summary.warnings,
      symptoms: JSON.stringify(report.symptoms),
      report: await pack(report),
      ...(usable && { goodAt: columns.checkedAt, resumeAfter: usable.resumeAfter }),
      ...(usable?.manifest && { manifest: await pack(usable.manifest) }),
    })
    .where('id', '=', id)
    .execute();
}
