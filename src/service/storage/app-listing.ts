import { sql } from 'kysely';
import type { Db } from './database.ts';

/** The apps that a manifest lists, as rows: what a subscriber sees before their metadata files are read. */

export interface ListedApp {
  key: string;
  position: number;
  name: string;
  description: string;
  color: string | null;
  /** The fragment of the icon's URL with its "#", or ''. */
  iconFragment: string;
}

/** Rows per statement. */
const BATCH_SIZE = 1000;
/** Rows kept per app that a manifest may list. */
const ROWS_PER_LISTED = 3;

/**
 * Updates the rows of a registry's apps from its manifest, in one transaction. The row of a removed app is kept if
 * anything of it was ever in force, and deleted otherwise.
 * @param limit apps of a manifest; the rows kept in total are limited to a small multiple
 */
export async function writeListing(
  db: Db,
  registryId: number,
  listed: readonly ListedApp[],
  limit: number,
): Promise<void> {
  const rows = await db
    .selectFrom('apps')
    .where('registryId', '=', registryId)
    .select(['key', 'position', 'name', 'description', 'color', 'iconFragment', 'listed'])
    .execute();
  const known = new Map(rows.map((row) => [row.key, row]));
  // Limits registries that keep replacing apps: the oldest rows are kept.
  let room = Math.max(0, limit * ROWS_PER_LISTED - rows.length);
  const changed = listed.filter((app) => {
    const row = known.get(app.key);
    known.delete(app.key);
    if (!row && room-- <= 0) return false;
    return (
      !row?.listed ||
      row.position !== app.position ||
      row.name !== app.name ||
      row.description !== app.description ||
      row.color !== app.color ||
      row.iconFragment !== app.iconFragment
    );
  });
  const gone = [...known.values()].filter((row) => row.listed).map(({ key }) => key);
  if (changed.length === 0 && gone.length === 0) return;
  await db.transaction().execute(async (tx) => {
    // The rows no longer match the stored manifest; the end of the refresh stores the new one.
    await tx
      .updateTable('registries')
      .set({ manifest: null, unchangedToken: null })
      .where('id', '=', registryId)
      .execute();
    for (let start = 0; start < changed.length; start += BATCH_SIZE)
      await tx
        .insertInto('apps')
        .values(
          changed.slice(start, start + BATCH_SIZE).map((app) => ({ ...app, registryId, listed: true, because: [] })),
        )
        .onConflict((conflict) =>
          conflict.columns(['registryId', 'key']).doUpdateSet({
            position: sql`excluded.position`,
            name: sql`excluded.name`,
            description: sql`excluded.description`,
            color: sql`excluded.color`,
            iconFragment: sql`excluded.icon_fragment`,
            listed: true,
          }),
        )
        .execute();
    if (gone.length === 0) return;
    await tx
      .updateTable('apps')
      .set({ listed: false })
      .where('registryId', '=', registryId)
      .where('key', '=', sql<string>`any(${gone})`)
      .execute();
    await sql`delete from apps a where registry_id = ${registryId} and not listed and not exists (
      select from versions v where v.registry_id = a.registry_id and v.app_key = a.key and v.verified_at is not null)`.execute(
      tx,
    );
  });
}
