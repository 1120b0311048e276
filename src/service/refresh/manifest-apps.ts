import { sql } from 'kysely';
import type { JsonValue } from '../../core/json/json.ts';
import { appFields } from '../../core/registry/manifest.ts';
import { shorten } from '../../core/text/text.ts';
import { fragmentOf } from '../../core/http/url.ts';
import type { Db } from '../storage/database.ts';
import { storable } from '../storage/packed.ts';

/** The apps of a manifest, as rows: what a subscriber sees before their metadata files are read. */

export interface ListedApp {
  key: string;
  position: number;
  name: string;
  description: string;
  color: string | null;
  /** The fragment of the icon's URL with its "#", or ''. */
  iconFragment: string;
}

const AT_ONCE = 1000;
/** Characters; a longer fragment does not identify a part of an icon. */
const LONGEST_FRAGMENT = 200;
const REMEMBERED = 3;

/**
 * @param limit maximum number of apps; the rest is omitted, and so are keys that the database cannot store: no app may
 * have such a key
 */
export function appsIn(apps: Readonly<Record<string, JsonValue>>, limit: number): ListedApp[] {
  const listed: ListedApp[] = [];
  for (const [position, [key, entry]] of Object.entries(apps).entries()) {
    if (listed.length >= limit) break;
    if (key.length > 300 || storable(key) !== key) continue;
    const { name, description, iconUrl, color } = appFields(entry);
    const iconFragment = iconUrl === null ? '' : fragmentOf(iconUrl);
    listed.push({
      key,
      position,
      name: textOf(name, 300) || shorten(key, 300),
      description: textOf(description, 4000),
      color: color !== null && /^#[0-9a-f]{6}$/i.test(color) ? color : null,
      iconFragment: iconFragment.length > LONGEST_FRAGMENT ? '' : iconFragment,
    });
  }
  return listed;
}

function textOf(value: string | null, limit: number): string {
  return shorten(storable(value ?? ''), limit);
}

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
  let room = Math.max(0, limit * REMEMBERED - rows.length);
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
    await tx.updateTable('registries').set({ manifest: null, standing: null }).where('id', '=', registryId).execute();
    for (let i = 0; i < changed.length; i += AT_ONCE)
      await tx
        .insertInto('apps')
        .values(changed.slice(i, i + AT_ONCE).map((app) => ({ ...app, registryId, listed: true, because: [] })))
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
