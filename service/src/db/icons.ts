import { type Db } from './database.ts';
import { type IconRow } from '../domain/icons.ts';
import { CONFIRMED } from './conditions.ts';
import { sql } from 'kysely';

/** The bytes of icons, by digest. */

/**
 * An icon that an app shows in a registry of the organization.
 * @param sha256 64 hexadecimal digits
 * @returns null if there is none
 */
export async function iconFor(
  db: Db,
  organizationId: string,
  sha256: string,
): Promise<Pick<IconRow, 'type' | 'bytes'> | null> {
  if (!/^[0-9a-f]{64}$/.test(sha256)) return null;
  const digest = Buffer.from(sha256, 'hex');
  const row = await db
    .selectFrom('icons')
    .where('icons.sha256', '=', digest)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('apps')
          .innerJoin('subscriptions', 'subscriptions.registryId', 'apps.registryId')
          .where('icon', '=', digest)
          .where('organizationId', '=', organizationId)
          .where(CONFIRMED)
          .select('key'),
      ),
    )
    .select(['type', 'bytes'])
    .executeTakeFirst();
  return row ?? null;
}

export async function saveIcon(db: Db, icon: IconRow): Promise<void> {
  await db
    .insertInto('icons')
    .values(icon)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Deletes icons that are no longer used by an app. */
export async function deleteOrphanedIcons(db: Db): Promise<void> {
  await sql`DELETE FROM icons WHERE NOT EXISTS (SELECT FROM apps WHERE apps.icon = icons.sha256)`.execute(db);
}
