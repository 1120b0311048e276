import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { ArtifactCopy } from '../../observe/registry/artifact-copy.ts';
import type { BlobReader, BlobStore } from '../../store/blobs/blobs.ts';
import type { Log } from '../log.ts';
import {
  abandonedArtifacts,
  confirmArtifact,
  listDroppable,
  forgetArtifact,
  keptDigests,
  linkArtifact,
  reserveArtifact,
  storedBytes,
  useArtifact,
} from '../storage/artifacts.ts';
import type { Db } from '../storage/database.ts';
import { PART_BYTES, receiveArtifact, type ReceivedArtifact } from './receiving.ts';

/** Keeps verified bytes by their digest, up to a size, and reads them again: every part is verified before it is used. */
export interface ArtifactKeeper {
  /** Maximum bytes of all files. */
  readonly limit: number;
  /** The store, in the database. */
  readonly store: string;
  receive(onReceived: (file: ReceivedArtifact) => void): ArtifactCopy;
  /**
   * Keeps a file that a registry has delivered, and that was verified.
   * @param mayDropOffered whether others that are offered may be dropped for it
   * @returns whether it is kept; an error of the store is logged
   */
  keep(registryId: number, file: ReceivedArtifact, mayDropOffered: boolean): Promise<boolean>;
  discard(file: ReceivedArtifact): Promise<void>;
  /** A file that the registry has delivered; null if it is not kept. */
  open(registryId: number, sha256: string): Promise<KeptArtifact | null>;
  /** Of these digests, those that are kept for the registry. */
  kept(registryId: number, digests: readonly string[]): Promise<Set<string>>;
  /** Whether there is room for as many bytes without dropping what is offered. */
  hasRoomFor(bytes: number): Promise<boolean>;
  /** Removes what killed nodes left. */
  tidy(): Promise<void>;
}

export interface KeptArtifact {
  length: number;
  /** The verified bytes from `start` up to, but not including, `end`. @throws Damaged if the store has other bytes */
  read(start: number, end: number): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

/** The store has lost the bytes, or has other ones. */
export class Damaged extends Error {
  constructor(sha256: string) {
    super(`The store does not have the bytes of ${sha256}.`);
  }
}

export interface KeeperOptions {
  blobs: BlobStore;
  store: string;
  limit: number;
  db: Db;
  log: Log;
}

export function openKeeper(options: KeeperOptions): ArtifactKeeper {
  return new BlobKeeper(options);
}

class BlobKeeper implements ArtifactKeeper {
  readonly limit: number;
  readonly store: string;
  private readonly blobs: BlobStore;
  private readonly db: Db;
  private readonly log: Log;

  constructor({ blobs, store, limit, db, log }: KeeperOptions) {
    this.limit = limit;
    this.store = store;
    this.blobs = blobs;
    this.db = db;
    this.log = log;
  }

  receive(onReceived: (file: ReceivedArtifact) => void): ArtifactCopy {
    return receiveArtifact({
      folder: this.blobs.incoming,
      limit: this.limit,
      onReceived,
      onError: (error) => this.log('warn', 'artifact-not-kept', { error }),
    });
  }

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

  discard(file: ReceivedArtifact): Promise<void> {
    return rm(file.path, { force: true });
  }

  async open(registryId: number, sha256: string): Promise<KeptArtifact | null> {
    const stored = await useArtifact(this.db, this.store, registryId, sha256);
    if (stored === null) return null;
    const reader = await this.blobs.open(sha256);
    const damaged = async (): Promise<Damaged> => {
      this.log('error', 'artifact-damaged', { store: this.blobs.name, sha256 });
      await this.drop(sha256);
      return new Damaged(sha256);
    };
    if (reader === null) {
      await damaged();
      return null;
    }
    return {
      length: stored.bytes,
      read: (start, end) => verifiedParts(reader, stored, { start, end }, damaged),
      close: () => reader.close(),
    };
  }

  kept(registryId: number, digests: readonly string[]): Promise<Set<string>> {
    return keptDigests(this.db, this.store, registryId, digests);
  }

  async hasRoomFor(bytes: number): Promise<boolean> {
    const over = (await storedBytes(this.db, this.store)) + bytes - this.limit;
    if (over <= 0) return true;
    const unneeded = await listDroppable(this.db, this.store, { except: '', offered: false });
    return unneeded.reduce((sum, one) => sum + one.bytes, 0) >= over;
  }

  async tidy(): Promise<void> {
    for (const sha256 of await abandonedArtifacts(this.db, this.store)) await this.drop(sha256);
  }

  private async storeFile(registryId: number, file: ReceivedArtifact, mayDropOffered: boolean): Promise<boolean> {
    const { sha256, length: bytes, partDigests } = file;
    if (await linkArtifact(this.db, this.store, registryId, sha256)) return true;
    if (!(await this.makeRoom(file, mayDropOffered))) return false;
    await reserveArtifact(this.db, this.store, sha256, { bytes, partDigests });
    try {
      await this.blobs.put(file);
    } catch (error) {
      await forgetArtifact(this.db, this.store, sha256);
      throw error;
    }
    await confirmArtifact(this.db, this.store, sha256);
    return linkArtifact(this.db, this.store, registryId, sha256);
  }

  /** @returns whether there is room; what is dropped is not needed, or was not used for the longest time */
  private async makeRoom(file: { sha256: string; length: number }, mayDropOffered: boolean): Promise<boolean> {
    let over = (await storedBytes(this.db, this.store)) + file.length - this.limit;
    if (over <= 0) return true;
    if (file.length > this.limit) return false;
    const others = await listDroppable(this.db, this.store, { except: file.sha256, offered: mayDropOffered });
    for (const { sha256, bytes } of others) {
      if (over <= 0) break;
      await this.drop(sha256);
      over -= bytes;
    }
    return over <= 0;
  }

  private async drop(sha256: string): Promise<void> {
    // The row first: a file without a row takes room until it is stored again, a row without a file would be an error.
    await forgetArtifact(this.db, this.store, sha256);
    await this.blobs.remove(sha256);
  }
}

async function* verifiedParts(
  reader: BlobReader,
  { bytes, partDigests }: { bytes: number; partDigests: Buffer },
  { start, end }: { start: number; end: number },
  damaged: () => Promise<Damaged>,
): AsyncGenerator<Uint8Array> {
  for (let part = Math.floor(start / PART_BYTES); part * PART_BYTES < end; part += 1) {
    const from = part * PART_BYTES;
    const to = Math.min(from + PART_BYTES, bytes);
    const content = await reader.read(from, to);
    const expected = partDigests.subarray(part * 32, part * 32 + 32);
    if (content === null || !createHash('sha256').update(content).digest().equals(expected)) throw await damaged();
    yield content.subarray(Math.max(0, start - from), Math.min(to, end) - from);
  }
}
