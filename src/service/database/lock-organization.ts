import type { Db } from './database.ts';

/**
 * Concurrent changes of an organization's tokens or webhooks wait for each other until the end of the transaction, since
 * their number is limited.
 */
export async function lockOrganization(tx: Db, organizationId: string): Promise<void> {
  await tx.selectFrom('organizations').where('id', '=', organizationId).select('id').forUpdate().execute();
}
