import { sql, type UpdateObject } from 'kysely';
import type { ObserveProgress } from '../../observe/registry/options.ts';
import { recordClaimedKeysOf } from '../apps/claimed-keys-store.ts';
import type { Service } from '../context.ts';
import type { Db } from '../database/database.ts';
import type { Database, StoredRegistry } from '../database/tables.ts';
import type { CheckProgress } from '../registries/schema.ts';

/**
 * What a refresh writes about its registry before it ends: that it has taken it over, how far it has got, whether the
 * host serves the URL; and what is written if it cannot take place.
 */

/**
 * A refresh writes only while no other refresh has taken over its registry: a node that was stopped for a while
 * resumes with an outcome that may be older than the stored one. Each refresh that writes increments the registry's
 * `refresh_number`, and each of its transactions checks that the number is still its own.
 */
export type RegistryClaim = Pick<StoredRegistry, 'id' | 'refreshNumber' | 'requests'>;

/** Another refresh has taken over the registry: the transaction is rolled back, and its outcome is discarded. */
export class Superseded extends Error {
  constructor() {
    super('Another refresh has taken over the registry.');
  }
}

/**
 * Takes over a registry from earlier refreshes, and deletes the token of the last outcome.
 * @param seen as read at the start of the refresh
 * @returns the claim of this refresh
 * @throws Superseded if another refresh was faster
 */
export async function claimRegistry<Seen extends RegistryClaim>(db: Db, seen: Seen): Promise<Seen> {
  const refreshNumber = seen.refreshNumber + 1;
  await updateClaimed(db, seen, { refreshNumber, unchangedToken: null });
  return { ...seen, refreshNumber };
}

/** @throws Superseded if another refresh has taken over the registry: then nothing is written */
export async function updateClaimed(
  tx: Db,
  { id, refreshNumber }: RegistryClaim,
  values: UpdateObject<Database, 'registries'>,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('registries')
    .set(values)
    .where('id', '=', id)
    .where('refreshNumber', '=', refreshNumber)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new Superseded();
}

/**
 * The registry's row, locked until the end of the transaction, if it still belongs to the refresh: other refreshes wait
 * before they take it over.
 */
export function claimedRegistry(tx: Pick<Db, 'selectFrom'>, { id, refreshNumber }: RegistryClaim) {
  return tx
    .selectFrom('registries')
    .where('id', '=', id)
    .where('refreshNumber', '=', refreshNumber)
    .forShare()
    .select('id');
}

/** Stores how far a refresh has got, for the subscribers who wait for it. A refresh that is quick stores nothing. */
export interface ProgressWriter {
  /** @param read returns the number of apps in total, and what is observed, which changes meanwhile */
  show(read: () => { total: number; observed: Readonly<ObserveProgress> }): void;
  close(): Promise<void>;
}

/** Milliseconds between two writes. */
const INTERVAL = 1000;

export function openProgressWriter({ db, log }: Pick<Service, 'db' | 'log'>, registry: RegistryClaim): ProgressWriter {
  let current: Parameters<ProgressWriter['show']>[0] | null = null;
  let stored = '';
  let writing: Promise<void> | null = null;

  async function write(progress: CheckProgress): Promise<void> {
    try {
      await writeProgress(db, registry, progress);
    } catch (error) {
      // The refresh itself reports a database that cannot be reached.
      log('debug', 'progress-not-stored', { registry: registry.id, error });
    } finally {
      writing = null;
    }
  }

  const timer = setInterval(() => {
    const { total = 0, observed = null } = current?.() ?? {};
    if (observed === null || total === 0 || writing !== null) return;
    const { listed, verified } = observed.artifacts;
    const progress = { apps: { total, read: observed.apps }, artifacts: { total: listed, verified } };
    const text = JSON.stringify(progress);
    if (text === stored) return;
    stored = text;
    writing = write(progress);
  }, INTERVAL);
  return {
    show(read) {
      current = read;
    },
    async close() {
      clearInterval(timer);
      await writing;
    },
  };
}

/** Stores how far a refresh has got, unless another one has taken over the registry. Its end removes it. */
async function writeProgress(db: Db, { id, refreshNumber }: RegistryClaim, progress: CheckProgress): Promise<void> {
  await db
    .updateTable('registries')
    .set({ progress: JSON.stringify(progress) })
    .where('id', '=', id)
    .where('refreshNumber', '=', refreshNumber)
    .execute();
}

/**
 * Whether the host has served the URL of a registry for its subscriptions. A request counts for those that were made
 * before it: what it proves is not known of later ones.
 */

/** A check of a registry. */
export interface CheckStart {
  /** The registry. */
  id: number;
  /** When it started, by the clock of the database: a text, since dates are less precise. */
  startedAt: string;
  /** Whether it had unconfirmed subscriptions then. */
  hasUnconfirmed: boolean;
}

/** The database's time. */
export async function databaseTime(db: Db): Promise<string> {
  const { rows } = await sql<{ now: string }>`SELECT now()::text AS now`.execute(db);
  return rows.map(({ now }) => now).join();
}

/** The host has served a usable manifest. */
export async function confirmSubscriptions(db: Db, { id, startedAt, hasUnconfirmed }: CheckStart): Promise<void> {
  if (!hasUnconfirmed) return;
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string }>`UPDATE subscriptions SET confirmed_at = now(), refused_at = NULL
      WHERE registry_id = ${id} AND confirmed_at IS NULL AND registry_since <= ${startedAt}::timestamptz
      RETURNING id`.execute(tx);
    await recordClaimedKeysOf(
      tx,
      rows.map((row) => row.id),
    );
  });
}

/** It has not. */
export async function refuseSubscriptions(tx: Db, { id, startedAt, hasUnconfirmed }: CheckStart): Promise<void> {
  if (!hasUnconfirmed) return;
  await sql`UPDATE subscriptions SET refused_at = now()
    WHERE registry_id = ${id} AND confirmed_at IS NULL AND refused_at IS NULL
      AND registry_since <= ${startedAt}::timestamptz`.execute(tx);
}

/**
 * Defers the next refresh of a registry that is still due: no other refresh has succeeded in the meantime.
 * @param delay in milliseconds
 */
export async function postponeRefresh(db: Db, id: number, delay: number): Promise<void> {
  await db
    .updateTable('registries')
    .set({ nextCheckAt: sql<Date>`now() + make_interval(secs => ${delay / 1000}::float8)` })
    .where('id', '=', id)
    .where('nextCheckAt', '<=', sql<Date>`now()`)
    .execute();
}

/**
 * The credentials of a registry cannot be used: it fails until they are set again. Nothing is written if it has been
 * refreshed or requested in the meantime.
 */
export async function markUnauthorized(
  db: Db,
  { id, refreshNumber, requests }: RegistryClaim,
  at: Date,
  nextCheckAt: Date,
): Promise<void> {
  await db
    .updateTable('registries')
    .set({
      unauthorized: true,
      checkedAt: at,
      failingSince: sql<Date>`coalesce(failing_since, ${at})`,
      nextCheckAt,
      unchangedToken: null,
    })
    .where('id', '=', id)
    .where('refreshNumber', '=', refreshNumber)
    .where('requests', '=', requests)
    .execute();
}
