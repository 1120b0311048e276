import { type RegistryAuth, type AuthType } from '../domain/credentials.ts';
import { type Db } from './database.ts';
import { type SecretsKeys, open, type Sealed, seal } from '../config/secrets-keys.ts';
import { sql, type Transaction } from 'kysely';
import { COUNT } from './conditions.ts';
import { type Database } from './tables/tables.ts';

/** The sealed credentials of registries. They are bound to their row: its id, its owner and its URL. */

/** The registry that credentials belong to. */
interface PrivateRegistry {
  id: number;
  ownerId: string;
  url: string;
}

/** The reason why stored credentials cannot be used. */
export type CredentialsFault = 'unknown-key' | 'damaged';

/** The credentials of a registry, or why they cannot be used. */
type OpenedAuth = { auth: RegistryAuth } | { fault: CredentialsFault };

/** @returns null if the registry has none */
export async function credentialsOf(db: Db, keys: SecretsKeys, registry: PrivateRegistry): Promise<OpenedAuth | null> {
  const row = await db
    .selectFrom('registryCredentials')
    .where('registryId', '=', registry.id)
    .select(['keyId', 'sealed'])
    .executeTakeFirst();
  if (row === undefined) return null;
  const opened = open(keys, row, sealContext(registry));
  if ('fault' in opened) return opened;
  const auth: RegistryAuth = JSON.parse(opened.secret);
  return { auth };
}

/** Sets or replaces the credentials of a registry. */
export async function putCredentials(
  db: Db,
  keys: SecretsKeys,
  registry: PrivateRegistry,
  auth: RegistryAuth,
): Promise<void> {
  const row: Sealed & { type: AuthType } = {
    type: auth.type,
    ...seal(keys, JSON.stringify(auth), sealContext(registry)),
  };
  const changedAt = sql<Date>`now()`;
  await db
    .insertInto('registryCredentials')
    .values({ registryId: registry.id, ...row })
    .onConflict((conflict) => conflict.column('registryId').doUpdateSet({ ...row, changedAt }))
    .execute();
}

export async function deleteCredentials(db: Db, registryId: number): Promise<void> {
  await db.deleteFrom('registryCredentials').where('registryId', '=', registryId).execute();
}

/** The number of registries whose credentials were sealed with a key other than these. */
export async function countCredentialsOfOtherKeys(db: Db, keys: SecretsKeys): Promise<number> {
  const known = keys.map(({ id }) => id);
  const { count } = await db
    .selectFrom('registryCredentials')
    .where('keyId', '<>', sql<string>`ALL(${known}::text[])`)
    .select(COUNT)
    .executeTakeFirstOrThrow();
  return count;
}

/** Seals everything with the first key that an older one sealed. @returns the number of registries */
export async function resealCredentials(db: Db, keys: SecretsKeys): Promise<number> {
  const [first] = keys;
  if (first === undefined) return 0;
  return db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('registryCredentials')
      .innerJoin('registries', 'registries.id', 'registryCredentials.registryId')
      .where('registryCredentials.keyId', '<>', first.id)
      .where('registries.ownerId', 'is not', null)
      .select([
        'registries.id',
        'registries.ownerId',
        'registries.url',
        'registryCredentials.keyId',
        'registryCredentials.sealed',
      ])
      .forUpdate('registryCredentials')
      .execute();
    let resealed = 0;
    for (const row of rows) if (await resealOne(tx, keys, row)) resealed += 1;
    return resealed;
  });
}

async function resealOne(
  tx: Transaction<Database>,
  keys: SecretsKeys,
  { id, ownerId, url, ...sealed }: { id: number; ownerId: string | null; url: string } & Sealed,
): Promise<boolean> {
  if (ownerId === null) return false;
  const context = sealContext({ id, ownerId, url });
  const opened = open(keys, sealed, context);
  if ('fault' in opened) return false;
  // The time stays: these are the same credentials.
  await tx
    .updateTable('registryCredentials')
    .set(seal(keys, opened.secret, context))
    .where('registryId', '=', id)
    .execute();
  return true;
}

function sealContext({ id, ownerId, url }: PrivateRegistry): string {
  return JSON.stringify(['registry-credentials', id, ownerId, url]);
}
