import { type ArtifactCopy, type BlobReader, type BlobStore, openBlobBucket, openBlobDirectory } from 'appreg/node';
import { type Db } from '../db/database.ts';
import { type Log } from '../log.ts';
import { type StoreChanges, type KeeperOptions, openStoreChanges } from './changes.ts';
import { type ReceivedArtifact, receiveArtifact, verifiedParts } from './receiving.ts';
import { rm } from 'node:fs/promises';
import {
  useArtifact,
  keptDigests,
  abandonedArtifacts,
  type StoredFile,
  listStoredFiles,
  linkArtifact,
  forgetArtifact,
  confirmArtifact,
} from '../db/artifacts.ts';
import { isLastCopy } from './evictions.ts';
import { type Settings } from '../config/settings.ts';

export interface KeptArtifact {
  length: number;
  /**
   * The verified bytes from `start` up to, but not including, `end`.
   * @throws Damaged if the store has other bytes, StoreUnavailable
   */
  read(start: number, end: number): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

/** The store has lost the bytes, or has other ones. */
export class Damaged extends Error {
  constructor(sha256: string) {
    super(`The store does not have the bytes of ${sha256}.`);
  }
}

/** The store cannot be used at the moment, for example because its disk is not mounted: nothing is known to be lost. */
export class StoreUnavailable extends Error {
  constructor(name: string, cause?: unknown) {
    super(`The store of artifacts ${name} cannot be used at the moment.`, { cause });
  }
}

/** Keeps verified bytes by their digest, up to a size, and reads them again: every part is verified before it is used. */
export class ArtifactKeeper {
  /** Maximum bytes of all files. */
  readonly limit: number;
  /** The store, in the database. */
  readonly store: string;
  /** True if this node could not write the last file, for example because the disk is full. */
  hasFailedToWrite = false;
  private readonly blobs: BlobStore;
  private readonly db: Db;
  private readonly log: Log;
  private readonly changes: StoreChanges;

  constructor(options: KeeperOptions) {
    this.limit = options.limit;
    this.store = options.store;
    this.blobs = options.blobs;
    this.db = options.db;
    this.log = options.log;
    this.changes = openStoreChanges(options);
  }

  receive(onReceived: (file: ReceivedArtifact) => void): ArtifactCopy {
    return receiveArtifact({
      folder: this.blobs.incoming,
      limit: this.limit,
      onReceived,
      onError: (error) => {
        this.hasFailedToWrite = true;
        this.log('warn', 'artifact-not-kept', { error });
      },
    });
  }

  /**
   * Keeps a file that a registry has delivered, and that was verified.
   * @param mayDropOffered whether others that are offered may be dropped for it
   * @returns whether it is kept; an error of the store is logged
   */
  async keep(registryId: number, file: ReceivedArtifact, mayDropOffered: boolean): Promise<boolean> {
    try {
      return await this.storeFile(registryId, file, mayDropOffered);
    } catch (error) {
      this.log('warn', 'artifact-not-kept', { store: this.blobs.name, error });
      return false;
    } finally {
      await this.discard(file);
    }
  }

  /** Removes a received file. One that cannot be removed is logged; the next start of the service removes it. */
  async discard(file: ReceivedArtifact): Promise<void> {
    await rm(file.path, { force: true }).catch((error: unknown) =>
      this.log('warn', 'artifact-not-removed', { store: this.blobs.name, error }),
    );
  }

  /**
   * Opens a file that the registry has delivered, which counts as a use of it. One that the store has lost is dropped, and
   * the versions whose last copy it was are refused.
   * @returns null if it is not kept, or was lost
   * @throws StoreUnavailable
   */
  async open(registryId: number, sha256: string): Promise<KeptArtifact | null> {
    const stored = await useArtifact(this.db, this.store, registryId, sha256);
    if (stored === null) return null;
    const reader = await this.using(() => this.blobs.open(sha256));
    if (reader === null) {
      await this.dropDamaged([sha256]);
      return null;
    }
    const checked: BlobReader = {
      read: (start, end) => this.using(() => reader.read(start, end)),
      close: () => reader.close(),
    };
    const damaged = async (): Promise<Damaged> => {
      await this.dropDamaged([sha256]);
      return new Damaged(sha256);
    };
    return {
      length: stored.bytes,
      read: (start, end) => verifiedParts(checked, stored, { start, end }, damaged),
      close: () => reader.close(),
    };
  }

  /** Of these digests, those that are kept for the registry. */
  kept(registryId: number, digests: readonly string[]): Promise<Set<string>> {
    return keptDigests(this.db, this.store, registryId, digests);
  }

  /** True if there is room for a file of a registry, after others were dropped as by `keep`. */
  hasRoomFor(registryId: number, file: { sha256: string; bytes: number }, mayDropOffered: boolean): Promise<boolean> {
    return this.changes.hasRoomFor(registryId, file, mayDropOffered);
  }

  /** Removes what killed nodes left, and what exceeds the limit. */
  async tidy(): Promise<void> {
    await this.requireStore();
    await this.changes.drop(await abandonedArtifacts(this.db, this.store), 'abandoned');
    const dropped = await this.changes.dropExcess();
    if (dropped > 0) this.log('warn', 'artifacts-over-limit', { store: this.blobs.name, limit: this.limit, dropped });
  }

  /** Refuses the versions that neither their host nor the store has. @throws StoreUnavailable */
  async refuseLost(): Promise<void> {
    await this.requireStore();
    await this.changes.drop([], 'damaged');
  }

  /** Reads the end of each last copy, and refuses the versions whose last copy is gone. @throws StoreUnavailable */
  async checkLastCopies(signal: AbortSignal): Promise<void> {
    const gone: string[] = [];
    for (const file of (await this.files()).filter(isLastCopy)) {
      if (signal.aborted) return;
      if (!(await this.isReadable(file))) gone.push(file.sha256);
    }
    await this.dropDamaged(gone);
  }

  /** All files of the store. */
  files(): Promise<StoredFile[]> {
    return listStoredFiles(this.db, this.store);
  }

  private async storeFile(registryId: number, file: ReceivedArtifact, mayDropOffered: boolean): Promise<boolean> {
    const { sha256, length: bytes, partDigests } = file;
    if (await linkArtifact(this.db, this.store, registryId, sha256)) return true;
    await this.requireStore();
    if (!(await this.changes.reserve(registryId, { sha256, bytes, partDigests }, mayDropOffered))) return false;
    try {
      await this.blobs.put(file);
      this.hasFailedToWrite = false;
    } catch (error) {
      this.hasFailedToWrite = true;
      await forgetArtifact(this.db, this.store, sha256);
      throw error;
    }
    await confirmArtifact(this.db, this.store, sha256);
    return linkArtifact(this.db, this.store, registryId, sha256);
  }

  /** Drops files that the store has lost or changed. A store that is not there has lost nothing. */
  private async dropDamaged(digests: readonly string[]): Promise<void> {
    await this.requireStore();
    for (const sha256 of digests) this.log('error', 'artifact-damaged', { store: this.blobs.name, sha256 });
    await this.changes.drop(digests, 'damaged');
  }

  /** True if the store has the last byte of a file. */
  private async isReadable({ sha256, bytes }: StoredFile): Promise<boolean> {
    const reader = await this.using(() => this.blobs.open(sha256));
    if (reader === null) return false;
    const end = this.using(() => reader.read(Math.max(0, bytes - 1), bytes));
    return (await end.finally(() => reader.close())) !== null;
  }

  /** True if the folder of the store is there, and not that of another disk. */
  async isReachable(): Promise<boolean> {
    return this.blobs.isStill(this.store).catch(() => false);
  }

  private async requireStore(): Promise<void> {
    await this.using(async () => {
      if (!(await this.blobs.isStill(this.store)))
        throw new Error('This is not the store that the service started with.');
    });
  }

  private async using<T>(use: () => Promise<T>): Promise<T> {
    try {
      return await use();
    } catch (error) {
      this.log('warn', 'artifact-store-unavailable', { store: this.blobs.name, error });
      throw new StoreUnavailable(this.blobs.name, error);
    }
  }
}

/**
 * The store of `--artifacts`; null without one.
 * @param env with the credentials of a bucket
 * @param onLost receives the number of versions whose last copy was lost
 * @throws AppregError if it cannot be used
 */
export async function openArtifacts(
  { artifacts }: Settings,
  db: Db,
  log: Log,
  env: NodeJS.ProcessEnv,
  onLost: (versions: number) => void,
): Promise<ArtifactKeeper | null> {
  if (artifacts === null) return null;
  const { place, limit } = artifacts;
  const blobs =
    place.type === 'directory'
      ? openBlobDirectory(place.folder)
      : openBlobBucket({
          bucket: place.bucket,
          prefix: place.prefix,
          region: null,
          endpoint: null,
          env,
          onCredentialsError: (error) => log('warn', 'credentials-not-renewed', { store: place.bucket, error }),
        });
  const store = await blobs.identity();
  const keeper = new ArtifactKeeper({ blobs, store, limit, db, log, onLost });
  await keeper.tidy();
  return keeper;
}
