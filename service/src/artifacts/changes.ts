import { latestOffered } from 'appreg';
import type { BlobStore } from 'appreg/node';
import { type Db } from '../db/database.ts';
import { type Log } from '../log.ts';
import { type VersionPlace, lockLostVersions, readLosingApp, writeLosingApp } from '../db/unkept-artifacts.ts';
import {
  storedBytes,
  subscribersOf,
  listStoredFiles,
  lockStore,
  forgetArtifact,
  isReserved,
  reserveArtifact,
} from '../db/artifacts.ts';
import { evictionsFor, evictionsToLimit } from './evictions.ts';
import { applyChanges, offeredVersions } from '../domain/version.ts';
import { appEvents } from '../domain/app-changes.ts';

export interface KeeperOptions {
  blobs: BlobStore;
  store: string;
  limit: number;
  db: Db;
  log: Log;
  /** Receives the number of versions whose last copy was lost. */
  onLost?: (versions: number) => void;
}

/**
 * Changes which files a store has. Nodes do this one after the other, so that all files together stay below the limit.
 * Versions whose last copy is dropped are refused in the same transaction.
 */
export interface StoreChanges {
  /** Reserves the room of a file, and drops others for it. @returns false if there is no room */
  reserve(registryId: number, file: NewFile, mayDropOffered: boolean): Promise<boolean>;
  /** True if `reserve` would find room. */
  hasRoomFor(registryId: number, file: Omit<NewFile, 'partDigests'>, mayDropOffered: boolean): Promise<boolean>;
  /** Drops files, and refuses all versions without any copy. @returns these versions */
  drop(digests: readonly string[], why: DropReason): Promise<VersionPlace[]>;
  /** Drops what exceeds the limit, which may have been lowered. @returns the number of files */
  dropExcess(): Promise<number>;
}

interface NewFile {
  sha256: string;
  bytes: number;
  partDigests: Buffer;
}

/** Reasons why files are dropped, in the log. */
type DropReason = 'limit' | 'damaged' | 'abandoned';

export function openStoreChanges({ blobs, store, limit, db, log, onLost = () => {} }: KeeperOptions): StoreChanges {
  /** The digests of the files to drop; null if there is no room even then. */
  async function evictions(
    tx: Db,
    registryId: number,
    { sha256, bytes }: Pick<NewFile, 'sha256' | 'bytes'>,
    mayDropOffered: boolean,
  ): Promise<string[] | null> {
    if (bytes > limit) return null;
    if ((await storedBytes(tx, store)) + bytes <= limit) return [];
    const owners = (await subscribersOf(tx, [registryId])).get(registryId) ?? [];
    const { drop, fits } = evictionsFor(await listStoredFiles(tx, store), limit, {
      sha256,
      bytes,
      owners,
      mayDropOffered,
    });
    return fits ? drop.map((file) => file.sha256) : null;
  }

  /**
   * Drops the files that `choose` returns. A file without a row takes room until it is stored again, a row without a
   * file would be an error: so the row is deleted first.
   */
  async function change(why: DropReason, choose: (tx: Db) => Promise<readonly string[]>): Promise<VersionPlace[]> {
    const { digests, lost } = await db.transaction().execute(async (tx) => {
      await lockStore(tx, store);
      const dropped = await choose(tx);
      for (const sha256 of dropped) await forgetArtifact(tx, store, sha256);
      return { digests: dropped, lost: await refuseLostVersions(tx, store) };
    });
    for (const { registryId, appKey, version } of lost)
      log('error', 'last-copy-lost', { store: blobs.name, registry: registryId, app: appKey, version, why });
    if (lost.length > 0) onLost(lost.length);
    for (const sha256 of digests) await removeFile(sha256);
    return lost;
  }

  /** Another node may be storing the same bytes again: then the file stays. */
  function removeFile(sha256: string): Promise<void> {
    return db.transaction().execute(async (tx) => {
      await lockStore(tx, store);
      if (!(await isReserved(tx, store, sha256))) await blobs.remove(sha256);
    });
  }

  return {
    async reserve(registryId, file, mayDropOffered) {
      let fits = false;
      await change('limit', async (tx) => {
        const drop = await evictions(tx, registryId, file, mayDropOffered);
        fits = drop !== null;
        if (fits) await reserveArtifact(tx, store, file.sha256, file);
        return drop ?? [];
      });
      return fits;
    },
    async hasRoomFor(registryId, file, mayDropOffered) {
      return (await evictions(db, registryId, file, mayDropOffered)) !== null;
    },
    drop: (digests, why) => change(why, async () => digests),
    async dropExcess() {
      let count = 0;
      await change('limit', async (tx) => {
        if ((await storedBytes(tx, store)) <= limit) return [];
        const { drop } = evictionsToLimit(await listStoredFiles(tx, store), limit);
        count = drop.length;
        return drop.map(({ sha256 }) => sha256);
      });
      return count;
    },
  };
}

/** The rule of a version whose host has lost the artifact: without a copy, it is refused as any such version. */
const RULE = 'unreachable';
const REASON = 'Its host no longer has the artifact, and this service has no copy of it any more.';

/**
 * Refuses all offered versions whose host has lost the artifact, and whose copy is not in the store, with their events:
 * what is offered can be installed.
 * @param tx a transaction @returns the versions that were refused
 */
async function refuseLostVersions(tx: Db, store: string): Promise<VersionPlace[]> {
  const lost = await lockLostVersions(tx, store);
  const apps = new Map(lost.map((place) => [JSON.stringify([place.registryId, place.appKey]), place]));
  for (const app of apps.values()) {
    const versions = lost.filter(({ registryId, appKey }) => registryId === app.registryId && appKey === app.appKey);
    await refuse(tx, app, new Set(versions.map(({ version }) => version)));
  }
  return lost;
}

async function refuse(tx: Db, place: VersionPlace, versions: ReadonlySet<string>): Promise<void> {
  const app = await readLosingApp(tx, place);
  const at = new Date();
  const changed = app.versions
    .filter(({ version }) => versions.has(version))
    .map((row) => ({ ...row, state: 'refused' as const, rule: RULE, reason: REASON, triedAt: at }));
  const after = applyChanges(app.versions, { changed, removed: [], latest: null });
  const retired = { versions: new Map(app.retired.map((one) => [one.version, one])) };
  const changes = { changed, removed: [], latest: latestOffered(offeredVersions(after), retired) };
  const { visible, because, failingSince } = app;
  const { events, hidden } = appEvents(app, { visible, because, failingSince, versions: changes });
  await writeLosingApp(tx, place, { ...changes, events, hidden, at });
}
