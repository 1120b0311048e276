import { createHash } from 'node:crypto';
import type { Insertable } from 'kysely';
import { latestOf } from '../../src/core/registry/precedence.ts';
import { isSemver } from '../../src/core/registry/version.ts';
import { registryEvent } from '../src/domain/events.ts';
import { recordEvents } from '../src/db/events.ts';
import { type Db, openDatabase } from '../src/db/database.ts';
import { type RegistryRow } from '../src/db/tables/tables.ts';
import { startMigratedDatabase } from '../../test/support/database.ts';

/** A database with its tables, and rows as a refresh leaves them. */

export interface TestDatabase {
  url: string;
  db: Db;
  stop(): Promise<void>;
}

export async function openTestDatabase(): Promise<TestDatabase> {
  const { url, stop } = await startMigratedDatabase();
  const { db } = openDatabase(url, 5, () => {});
  return {
    url,
    db,
    async stop() {
      await db.destroy();
      await stop();
    },
  };
}

export async function addOrganization(db: Db, name = 'Acme'): Promise<string> {
  return (await db.insertInto('organizations').values({ name }).returning('id').executeTakeFirstOrThrow()).id;
}

type RegistryValues = Partial<Insertable<RegistryRow>>;

/** A registry that was checked a minute ago without errors. */
export async function addRegistry(db: Db, url: string, values: RegistryValues = {}): Promise<number> {
  const checkedAt = new Date(Date.now() - 60_000);
  const nextCheckAt = new Date(Date.now() + 3_000_000);
  const row = {
    url,
    checkedAt,
    goodAt: checkedAt,
    nextCheckAt,
    failingSince: null,
    symptoms: null,
    report: null,
    manifest: null,
    resumeAfter: null,
    ...values,
  };
  return (await db.insertInto('registries').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

export async function addSubscription(
  db: Db,
  organizationId: string,
  registryId: number,
  values: { name?: string; official?: boolean; registrySince?: Date; confirmedAt?: Date | null } = {},
): Promise<string> {
  // By default it sees all that is stored.
  const long = { registrySince: new Date(0), confirmedAt: new Date(0) };
  const row = { organizationId, registryId, name: 'Apps', ...long, ...values };
  const { id, createdAt } = await db
    .insertInto('subscriptions')
    .values(row)
    .returning(['id', 'createdAt'])
    .executeTakeFirstOrThrow();
  const event = registryEvent('subscribed', { official: values.official ?? false });
  await recordEvents(db, [{ ...event, registryId, subscriptionId: id, at: createdAt }]);
  return id;
}

export interface AppValues {
  name?: string;
  description?: string;
  icon?: Buffer | null;
  listed?: boolean;
  visible?: boolean | null;
  because?: string[];
  failingSince?: Date | null;
}

/** @param versions by name: its state, and other columns */
export async function addApp(
  db: Db,
  registryId: number,
  key: string,
  values: AppValues = {},
  versions: Record<string, VersionValues> = { '1.0.0': {} },
): Promise<void> {
  const offered = Object.entries(versions).filter(
    ([, one]) => (one.state ?? 'verified') === 'verified' && !one.withdrawnAt,
  );
  const latest = latestOf(offered.map(([version]) => version).filter(isSemver));
  const row = {
    latest,
    name: `The ${key}`,
    description: '',
    listed: true,
    visible: true,
    because: [],
    position: 0,
    ...values,
  };
  await db
    .insertInto('apps')
    .values({ registryId, key, color: null, icon: null, failingSince: null, remembered: null, ...row })
    .execute();
  for (const [version, given] of Object.entries(versions)) {
    const artifactChecksum = `sha256:${createHash('sha256').update(`${key} ${version}`).digest('hex')}`;
    await db
      .insertInto('versions')
      .values({
        registryId,
        appKey: key,
        version,
        artifactUrl: `https://apps.example.com/${encodeURIComponent(key)}-${version}.tar.gz`,
        artifactChecksum,
        state: 'verified',
        rule: null,
        reason: null,
        verifiedAt: null,
        triedAt: null,
        bytes: null,
        swappedChecksum: null,
        withdrawnAt: null,
        ...given,
      })
      .execute();
  }
}

export interface VersionValues {
  artifactChecksum?: string;
  state?: 'pending' | 'verified' | 'refused';
  rule?: string;
  reason?: string;
  verifiedAt?: Date;
  withdrawnAt?: Date;
  swappedChecksum?: string;
  bytes?: number;
}

/** @returns its digest */
export async function addIcon(db: Db, bytes: Buffer, type: 'image/png' | 'image/svg+xml'): Promise<Buffer> {
  const sha256 = createHash('sha256').update(bytes).digest();
  await db.insertInto('icons').values({ sha256, type, bytes }).execute();
  return sha256;
}
