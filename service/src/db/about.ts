import type { AboutVersion, DocumentContent } from 'appreg';
import { type Db } from './database.ts';
import { type StoredAbout, type StoredAboutVersion, type AboutChange } from '../domain/about.ts';
import { sql } from 'kysely';
import { unpack, pack } from './packed.ts';
import { type AboutFileRow } from './tables/claims.ts';
import { storable, storableJson } from '../domain/storable.ts';
import { type RetiredVersion, type LinksView } from '../domain/retirements.ts';

/** Statements of authors about apps and versions, as of their last about file that could be used. */

/** Reads the stored statements about apps of a registry, by key; an app of which nothing is stored has no entry. */
export async function storedAbouts(
  db: Db,
  registryId: number,
  keys: readonly string[],
): Promise<Map<string, StoredAbout>> {
  const files = await db
    .selectFrom('aboutFiles')
    .where('registryId', '=', registryId)
    .where('appKey', '=', sql<string>`ANY(${keys})`)
    .select(['appKey', 'url', 'etag', 'lastModified', 'content', 'fields'])
    .execute();
  // Without a file, nothing is known of a version either.
  if (files.length === 0) return new Map();
  const abouts = new Map<string, StoredAbout & { versions: StoredAboutVersion[] }>();
  for (const { appKey, url, content, fields, ...validators } of files) {
    const file = { url, content: await unpack<DocumentContent>(content), condition: conditionOf(validators) };
    abouts.set(appKey, { file, fields, versions: [] });
  }
  const rows = await db
    .selectFrom('aboutVersions')
    .where('registryId', '=', registryId)
    .where('appKey', '=', sql<string>`ANY(${[...abouts.keys()]})`)
    .select(['appKey', 'version', 'published', 'notes', 'deprecated'])
    .execute();
  for (const { appKey, ...row } of rows) abouts.get(appKey)?.versions.push(row);
  return abouts;
}

function conditionOf({ etag, lastModified }: Pick<AboutFileRow, 'etag' | 'lastModified'>): [string, string] | null {
  if (etag !== null) return ['if-none-match', etag];
  return lastModified === null ? null : ['if-modified-since', lastModified];
}

/** Writes what a refresh learned of the about file of an app, after its versions. */
export async function writeAbout(
  db: Db,
  registryId: number,
  appKey: string,
  { file, changed, removed }: AboutChange,
): Promise<void> {
  if (file === null)
    await db.deleteFrom('aboutFiles').where('registryId', '=', registryId).where('appKey', '=', appKey).execute();
  if (file) await putFile(db, { registryId, appKey }, file);
  if (removed.length > 0)
    await db
      .deleteFrom('aboutVersions')
      .where('registryId', '=', registryId)
      .where('appKey', '=', appKey)
      .where('version', '=', sql<string>`ANY(${removed})`)
      .execute();
  for (let start = 0; start < changed.length; start += BATCH_SIZE)
    await putVersions(db, { registryId, appKey }, changed.slice(start, start + BATCH_SIZE));
}

/** Rows per statement. */
const BATCH_SIZE = 500;

interface AppPlace {
  registryId: number;
  appKey: string;
}

async function putFile(db: Db, place: AppPlace, { known, app }: Exclude<AboutChange['file'], null | undefined>) {
  const { url, condition, content } = known;
  const [name = null, value = null] = condition ?? [];
  const row = {
    ...place,
    url: storable(url),
    etag: name === 'if-none-match' && value !== null ? storable(value) : null,
    lastModified: name === 'if-modified-since' && value !== null ? storable(value) : null,
    content: await pack(content),
    fields: storableJson(app),
  };
  await db
    .insertInto('aboutFiles')
    .values(row)
    .onConflict((conflict) => conflict.columns(['registryId', 'appKey']).doUpdateSet(row))
    .execute();
}

async function putVersions(db: Db, place: AppPlace, versions: readonly StoredAboutVersion[]): Promise<void> {
  const rows = versions.map(({ deprecated, ...row }) => ({
    ...place,
    ...row,
    deprecated: deprecated === null ? null : storableJson(deprecated),
  }));
  await db
    .insertInto('aboutVersions')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['registryId', 'appKey', 'version']).doUpdateSet({
        published: sql`excluded.published`,
        notes: sql`excluded.notes`,
        deprecated: sql`excluded.deprecated`,
      }),
    )
    .execute();
}

/** Reads the statements of the author of an app about versions of it, by version. */
export async function claimsOf(
  db: Db,
  { registryId, appKey }: AppPlace,
  versions: readonly string[],
): Promise<Map<string, AboutVersion>> {
  const rows = await db
    .selectFrom('aboutVersions')
    .where('registryId', '=', registryId)
    .where('appKey', '=', appKey)
    .where('version', '=', sql<string>`ANY(${versions})`)
    .select(['version', 'published', 'notes', 'deprecated'])
    .execute();
  return new Map(rows.map(({ version, ...claim }) => [version, claim]));
}

export async function retiredVersions(db: Db, { registryId, appKey }: AppPlace): Promise<RetiredVersion[]> {
  const rows = await db
    .selectFrom('aboutVersions')
    .where('registryId', '=', registryId)
    .where('appKey', '=', appKey)
    .where('deprecated', 'is not', null)
    .select(['version', 'deprecated'])
    .execute();
  return rows.flatMap(({ version, deprecated }) => (deprecated === null ? [] : [{ version, deprecated }]));
}

/** Columns of what the author of an app says, for queries of `apps`. */
export const ABOUT_COLUMNS = [
  sql<Partial<LinksView> | null>`(SELECT about_files.fields FROM about_files
    WHERE about_files.registry_id = apps.registry_id AND about_files.app_key = apps.key)`.as('links'),
  sql<RetiredVersion[] | null>`(SELECT json_agg(json_build_object('version', claims.version,
      'deprecated', claims.deprecated)) FROM about_versions AS claims
    WHERE claims.registry_id = apps.registry_id AND claims.app_key = apps.key AND claims.deprecated IS NOT NULL)`.as(
    'retired',
  ),
] as const;
