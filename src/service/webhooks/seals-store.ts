import { sql } from 'kysely';
import type { SecretsKeys } from '../secrets-keys.ts';
import { openWebhookSecret, sealWebhookSecret, openWebhookUrl, sealWebhookUrl } from './secrets.ts';
import type { Db } from '../database/database.ts';
import { COUNT } from '../database/sql-fragments.ts';

/** The secrets and the URLs of all webhooks, for a change of SECRETS_KEY. */

/** The number of webhooks whose secret or URL was sealed with a key other than these. */
export async function countWebhookSecretsOfOtherKeys(db: Db, keys: SecretsKeys): Promise<number> {
  const known = keys.map(({ id }) => id);
  const { count } = await db
    .selectFrom('webhooks')
    .where(sql<boolean>`key_id IS NOT NULL AND key_id <> ALL(${known}::text[])
      OR url_key_id IS NOT NULL AND url_key_id <> ALL(${known}::text[])`)
    .select(COUNT)
    .executeTakeFirstOrThrow();
  return count;
}

/** Seals what is not sealed with the first key. @returns the number of webhooks */
export async function resealWebhookSecrets(db: Db, keys: SecretsKeys): Promise<number> {
  const [first] = keys;
  if (first === undefined) return 0;
  return db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('webhooks')
      .where(sql<boolean>`key_id IS DISTINCT FROM ${first.id} OR url_key_id IS DISTINCT FROM ${first.id}`)
      .select(['id', 'keyId', 'secret', 'url', 'urlKeyId', 'sealedUrl'])
      .forUpdate()
      .execute();
    let resealed = 0;
    for (const { id, ...stored } of rows) {
      const secret = openWebhookSecret(keys, stored, id);
      const url = openWebhookUrl(keys, stored, id);
      if (secret === null || url === null) continue;
      await tx
        .updateTable('webhooks')
        .set({ ...sealWebhookSecret(keys, secret, id), ...sealWebhookUrl(keys, url, id) })
        .where('id', '=', id)
        .execute();
      resealed += 1;
    }
    return resealed;
  });
}
