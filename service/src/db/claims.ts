import { type UpdateObject, sql } from 'kysely';
import type { CheckProgress } from '../domain/registries.ts';
import type { StoredRegistry, Database } from './tables/tables.ts';
import type { Db } from './database.ts';

/**
 * Records of a refresh about its registry before it ends: that it has taken it over, how far it has got, whether the
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
 * @returns the registry as it is now, with the claim of this refresh
 * @throws Superseded if another refresh was faster
 */
export async function claimRegistry<Seen extends RegistryClaim & Pick<StoredRegistry, 'unchangedToken'>>(
  db: Db,
  seen: Seen,
): Promise<Seen> {
  const claim = { refreshNumber: seen.refreshNumber + 1, unchangedToken: null };
  await updateClaimed(db, seen, claim);
  return { ...seen, ...claim };
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

/** Stores how far a refresh has got, unless another one has taken over the registry. Its end removes it. */
export async function writeProgress(
  db: Db,
  { id, refreshNumber }: RegistryClaim,
  progress: CheckProgress,
): Promise<void> {
  await db
    .updateTable('registries')
    .set({ progress: JSON.stringify(progress) })
    .where('id', '=', id)
    .where('refreshNumber', '=', refreshNumber)
    .execute();
}
