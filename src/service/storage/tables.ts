import type { ColumnType, Generated } from 'kysely';

/** The tables, as queries see them: names in camel case, a row per interface. `migrations.ts` makes them. */

export interface Database {
  organizations: OrganizationRow;
  sessions: SessionRow;
  registries: RegistryRow;
  subscriptions: SubscriptionRow;
  apps: AppRow;
  versions: VersionRow;
  icons: IconRow;
}

/** Set by the database when a row is made. */
type Stamp = ColumnType<Date, Date | undefined, Date>;

export interface OrganizationRow {
  id: Generated<string>;
  name: string;
  /** SHA-256 of the token; the token itself is nowhere. */
  tokenHash: Buffer;
  tokenSince: Stamp;
  /** Of the request that made it, so that a client that tries again makes no second one; or null. */
  idempotencyKey: string | null;
  createdAt: Stamp;
}

/** Somebody signed in on the page. */
interface SessionRow {
  /** SHA-256 of the cookie's value. */
  hash: Buffer;
  organizationId: string;
  expiresAt: Date;
}

/** A registry, once for all of its subscribers. */
export interface RegistryRow {
  id: Generated<number>;
  /** As `registryUrl` (refresh/address.ts) writes it; the same manifest is one row. */
  url: string;
  createdAt: Stamp;
  /** The end of the last refresh, whatever came of it; null before the first one. */
  checkedAt: Date | null;
  /** The end of the last refresh that got a usable manifest. */
  goodAt: Date | null;
  /** Since when refreshes have failed; null while they succeed. */
  failingSince: Date | null;
  /** Refreshes that failed, one after another. */
  failures: Generated<number>;
  /** The truth of the schedule: it is due when this moment has come. */
  nextCheckAt: Stamp;
  /** Counts of the last report. */
  errors: Generated<number>;
  warnings: Generated<number>;
  /** The four symptoms of the last report: SymptomStatus[] (core/engine/report.ts). */
  symptoms: ColumnType<unknown, string | null, string | null>;
  /** gzip of JSON (database/packed.ts): the Report of the last refresh. */
  report: Buffer | null;
  /** The same: the manifest as it was seen last (DocumentFacts), for conditional requests. */
  manifest: Buffer | null;
  /** The key of the app at which the last refresh ran out of time; the next one begins behind it. Null where it did not. */
  resumeAfter: string | null;
  /** Whether the last refresh took long: such ones have workers of their own, and keep no other waiting. */
  slow: Generated<boolean>;
  /**
   * What has to be answered in which way for the last outcome to stand (refresh/standing.ts); null where it is looked at
   * and judged again in any case.
   */
  standing: Generated<string | null>;
}

interface SubscriptionRow {
  id: Generated<string>;
  organizationId: string;
  registryId: number;
  name: string;
  /** True for the core and the community registry, which every organization gets at creation. */
  official: Generated<boolean>;
  createdAt: Stamp;
}

/** An app of a registry, as it was when its registry and its metadata file could last be read. */
interface AppRow {
  registryId: number;
  key: string;
  /** Its place in the manifest. */
  position: number;
  name: string;
  description: string;
  /** #RRGGBB, or null where the manifest has no such colour. */
  color: string | null;
  /** The icon that was last seen whole (icons.sha256). */
  icon: Buffer | null;
  /** The fragment of the icon's URL with its "#": the part of an SVG that is shown. '' where it has none. */
  iconFragment: Generated<string>;
  /** Whether it stands in the manifest; false once it was taken out. */
  listed: boolean;
  /** As AppVerdict (core/engine/report.ts); null while it is not known. */
  visible: boolean | null;
  /** Ids of the rules that hide it. */
  because: string[];
  /** The highest version that is offered (`versions`: verified, not withdrawn); null where none is. */
  latest: string | null;
  /** Since when its metadata file could not be used; the versions are those of before. Null while it can. */
  failingSince: Date | null;
  /** gzip of JSON: what a refresh remembers (RememberedApp, observe/registry/observation-cache.ts). */
  remembered: Buffer | null;
}

/**
 * A version, with the artifact that it had when it was first seen. That digest stays in force, whatever the metadata file
 * says later.
 */
export interface VersionRow {
  registryId: number;
  appKey: string;
  version: string;
  /** Where bytes with that digest were seen last. */
  artifactUrl: string;
  /**
   * `sha256:` and 64 hexadecimal digits: in force from the first time that the bytes had it, and never changed then. Until
   * that nobody could install the version, so that a listing which is mended takes its place.
   */
  artifactChecksum: string;
  firstSeenAt: Stamp;
  /**
   * `pending`: not fetched yet. `verified`: its bytes had the digest of the first sight; only such a version is offered.
   * `refused`: they had not, or could not be fetched; `reason` says which.
   */
  state: 'pending' | 'verified' | 'refused';
  /** Id of the rule that says why it is refused, and its message; null otherwise. */
  rule: string | null;
  reason: string | null;
  /** When its bytes were last seen to have the digest; null where they never were. */
  verifiedAt: Date | null;
  /** When it was last tried; null before the first time. */
  triedAt: Date | null;
  /** Size of the artifact in bytes, once it is verified. */
  bytes: ColumnType<string | null, number | null, number | null>;
  /** What the metadata file lists now, where that is another artifact than at first sight: it was swapped. */
  swappedChecksum: string | null;
  /** Since when the metadata file has not listed it any more; null while it does. */
  withdrawnAt: Date | null;
}

/** Icons by their digest, checked and small. */
export interface IconRow {
  sha256: Buffer;
  type: 'image/png' | 'image/svg+xml';
  bytes: Buffer;
}
