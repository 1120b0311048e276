import { sql } from 'kysely';
import type { Db } from './database.ts';
import { inBatches } from './batch.ts';

/** The rows of registries for refreshes: read and written in batches for concurrent refreshes. */

/** The state of a registry in the database. */
export interface Registry {
  id: number;
  url: string;
  failures: number;
  failingSince: Date | null;
  resumeAfter: string | null;
  errors: number;
  warnings: number;
  standing: string | null;
  due: boolean;
  wanted: boolean;
}

/** The end of a refresh that confirmed the last outcome. */
interface Unchanged {
  id: number;
  at: Date;
  nextCheckAt: Date;
  slow: boolean;
}

export interface RegistryRecords {
  /** @param now of the caller, in milliseconds since 1970; null if the registry does not exist */
  read(id: number, now: number): Promise<Registry | null>;
  /** @returns false if another refresh has changed the outcome in the meantime: then nothing is written */
  writeUnchanged(end: Unchanged): Promise<boolean>;
}

const AT_ONCE = 64;
const opened = new WeakMap<Db, RegistryRecords>();

/** Shared by all users of the same connections. */
export function registryRecords(db: Db): RegistryRecords {
  let rows = opened.get(db);
  if (!rows) opened.set(db, (rows = openRows(db)));
  return rows;
}

function openRows(db: Db): RegistryRecords {
  const read = inBatches(async (asked: readonly { id: number; ahead: number }[]) => {
    const ids = asked.map(({ id }) => id);
    const ahead = asked.map((one) => one.ahead);
    // Uses the database's clock, which all nodes share.
    const { rows } = await sql<Registry>`
      select r.id, url, failures, failing_since, resume_after, errors, warnings, standing,
        next_check_at <= now() + make_interval(secs => ahead) as due,
        exists (select from subscriptions s where s.registry_id = r.id) as wanted
      from unnest(${ids}::int[], ${ahead}::float8[]) as asked (id, ahead) join registries r on r.id = asked.id`.execute(
      db,
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => found.get(id) ?? null);
  }, AT_ONCE);

  const write = inBatches(async (ends: readonly Unchanged[]) => {
    const sorted = ends.toSorted((a, b) => a.id - b.id);
    const { rows } = await sql<{ id: number }>`
      update registries r set checked_at = e.at, good_at = e.at, next_check_at = e.next, slow = e.slow
      from unnest(${sorted.map(({ id }) => id)}::int[], ${sorted.map(({ at }) => at)}::timestamptz[],
        ${sorted.map(({ nextCheckAt }) => nextCheckAt)}::timestamptz[], ${sorted.map(({ slow }) => slow)}::boolean[])
        as e (id, at, next, slow)
      where r.id = e.id and standing is not null returning r.id`.execute(db);
    const written = new Set(rows.map(({ id }) => id));
    return ends.map(({ id }) => written.has(id));
  }, AT_ONCE);

  return {
    read: (id, now) => read({ id, ahead: (now - Date.now()) / 1000 }),
    writeUnchanged: write,
  };
}
