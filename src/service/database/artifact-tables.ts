import type { Generated } from 'kysely';

/** The tables of the verified bytes that the service keeps (`--artifacts`). */

/** A file of a store. */
export interface ArtifactRow {
  /** The store, since several can be in use one after another. */
  store: string;
  sha256: Buffer;
  bytes: string;
  /** SHA-256 of each part, one after another: a part is verified before it is sent. */
  partDigests: Buffer;
  reservedAt: Generated<Date>;
  /** Null until the file is written completely. */
  storedAt: Date | null;
  usedAt: Generated<Date>;
}

/** A registry that has delivered the file: only its subscribers can get it. */
export interface KeptArtifactRow {
  store: string;
  sha256: Buffer;
  registryId: number;
}
