import type { Db } from '../database/database.ts';
import type { StoredRegistry } from '../database/tables.ts';

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
 * Takes over a registry from earlier refreshes. Its last outcome is no longer valid.
 * @param seen as read at the start of the refresh @returns the claim of this refresh
 * @throws Superseded if another refresh was faster
 */
export async function claimRegistry<Seen extends RegistryClaim>(db: Db, seen: Seen): Promise<Seen> {
  const refreshNumber = seen.refreshNumber + 1;
  const { numUpdatedRows } = await db
    .updateTable('registries')
    .set({ refreshNumber, unchangedToken: null })
    .where('id', '=', seen.id)
    .where('refreshNumber', '=', seen.refreshNumber)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new Superseded();
  return { ...seen, refreshNumber };
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
