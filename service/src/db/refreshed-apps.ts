import { type Db } from './database.ts';
import { type RegistryClaim, claimedRegistry, Superseded, updateClaimed } from './claims.ts';
import { type StoredVersion } from '../domain/version.ts';
import { type NewEvent } from '../domain/events.ts';
import { putVersions, deleteUnverified } from './app-records.ts';
import { recordRegistryEvents } from './events.ts';
import { type AppRecord, type AppChange } from '../domain/app-changes.ts';
import { pack } from './packed.ts';
import { saveIcon } from './icons.ts';
import { writeAbout } from './about.ts';
import { errorCode } from '../log.ts';
import { FOREIGN_KEY_VIOLATION } from './error.ts';
import { type ListedApp, compareListing } from '../domain/listing.ts';
import { storableJson } from '../domain/storable.ts';
import { recordClaimedKeys } from './claimed-keys.ts';
import { sql } from 'kysely';
import { VERSION_OF_APP } from './conditions.ts';

/**
 * Adds versions whose artifacts are about to be fetched.
 * @throws Superseded if another refresh has taken over the registry: then nothing is written
 */
export async function addPendingVersions(
  db: Db,
  claim: RegistryClaim,
  key: string,
  { versions, events, at }: { versions: readonly StoredVersion[]; events: readonly NewEvent[]; at: Date },
): Promise<void> {
  const { id: registryId } = claim;
  await db.transaction().execute(async (tx) => {
    if ((await claimedRegistry(tx, claim).executeTakeFirst()) === undefined) throw new Superseded();
    await putVersions(tx, registryId, key, versions);
    await recordRegistryEvents(tx, registryId, at, events);
  });
}

/**
 * @returns whether anything was written
 * @throws Superseded if another refresh has taken over the registry: then nothing is written
 */
export async function writeApp(db: Db, claim: RegistryClaim, before: AppRecord, change: AppChange): Promise<boolean> {
  const { id: registryId } = claim;
  const { key } = before;
  const latest = change.versions ? change.versions.latest : before.latest;
  const digest = change.icon === undefined ? before.icon : (change.icon?.sha256 ?? null);
  const isIconSame = before.icon === null ? digest === null : digest !== null && before.icon.equals(digest);
  const isRowSame =
    before.visible === change.visible &&
    before.because.join() === change.because.join() &&
    before.latest === latest &&
    before.failingSince?.getTime() === change.failingSince?.getTime() &&
    before.hidden === change.hidden &&
    isIconSame;
  const { changed = [], removed = [] } = change.versions ?? {};
  const { about, events, at } = change;
  const isSame = changed.length === 0 && removed.length === 0 && about === null && events.length === 0;
  if (isRowSame && change.remembered === null && isSame) return false;
  const row = {
    visible: change.visible,
    because: [...change.because],
    latest,
    failingSince: change.failingSince,
    icon: digest,
    hidden: change.hidden,
    ...(change.remembered && { remembered: await pack(change.remembered) }),
  };
  const write = async (tx: Db): Promise<void> => {
    if (!isIconSame && change.icon) await saveIcon(tx, change.icon);
    const { numUpdatedRows } = await tx
      .with('claimed', (cte) => claimedRegistry(cte, claim))
      .updateTable('apps')
      .set(row)
      .from('claimed')
      .whereRef('apps.registryId', '=', 'claimed.id')
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new Superseded();
    await deleteUnverified(tx, registryId, key, removed);
    await putVersions(tx, registryId, key, changed);
    if (about !== null) await writeAbout(tx, registryId, key, about);
    await recordRegistryEvents(tx, registryId, at, events);
  };
  try {
    await db.transaction().execute(write);
  } catch (error) {
    // The icon was no longer used by any other app, and has just been deleted.
    if (errorCode(error) !== FOREIGN_KEY_VIOLATION) throw error;
    await db.transaction().execute(write);
  }
  return true;
}

/** Rows per statement. */
const BATCH_SIZE = 1000;

/**
 * Updates the rows of a registry's apps from its manifest, in one transaction. The row of a removed app is kept if
 * any version of it was ever pinned, and deleted otherwise.
 * @param limit apps of a manifest; the rows kept in total are limited to a small multiple
 * @param at when it was observed
 * @returns what changed for subscribers; null if nothing was written
 * @throws Superseded if another refresh has taken over the registry: then nothing is written
 */
export async function writeListing(
  db: Db,
  claim: RegistryClaim,
  listed: readonly ListedApp[],
  limit: number,
  at: Date,
): Promise<NewEvent[] | null> {
  const { id: registryId } = claim;
  const rows = await db
    .selectFrom('apps')
    .where('registryId', '=', registryId)
    .select(['key', 'position', 'name', 'description', 'color', 'iconFragment', 'fields', 'listed'])
    .execute();
  const { changed, removed, events } = compareListing(rows, listed, limit);
  if (changed.length === 0 && removed.length === 0) return null;
  await db.transaction().execute(async (tx) => {
    // The rows no longer match the responses that it names.
    await updateClaimed(tx, claim, { unchangedToken: null });
    await putListed(tx, registryId, changed);
    if (removed.length > 0) await removeFromListing(tx, registryId, removed);
    await recordRegistryEvents(tx, registryId, at, events);
    await recordClaimedKeys(
      tx,
      registryId,
      events.flatMap(({ type, app }) => (type === 'app-listed' && app !== null ? [app] : [])),
    );
  });
  return events;
}

async function putListed(tx: Db, registryId: number, apps: readonly ListedApp[]): Promise<void> {
  for (let start = 0; start < apps.length; start += BATCH_SIZE)
    await tx
      .insertInto('apps')
      .values(
        apps.slice(start, start + BATCH_SIZE).map(({ fields, ...app }) => ({
          ...app,
          fields: storableJson(fields),
          registryId,
          listed: true,
          because: [],
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['registryId', 'key']).doUpdateSet({
          position: sql`excluded.position`,
          name: sql`excluded.name`,
          description: sql`excluded.description`,
          color: sql`excluded.color`,
          iconFragment: sql`excluded.icon_fragment`,
          fields: sql`excluded.fields`,
          listed: true,
        }),
      )
      .execute();
}

async function removeFromListing(tx: Db, registryId: number, keys: readonly string[]): Promise<void> {
  await tx
    .updateTable('apps')
    .set({ listed: false, hidden: true })
    .where('registryId', '=', registryId)
    .where('key', '=', sql<string>`ANY(${keys})`)
    .execute();
  await sql`
    DELETE FROM apps
    WHERE registry_id = ${registryId} AND NOT listed
      AND NOT EXISTS (SELECT FROM versions WHERE ${VERSION_OF_APP} AND versions.verified_at IS NOT NULL)`.execute(tx);
}
