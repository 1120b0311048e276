import { type AboutVersion, highestFirst, redact } from 'appreg';
import { type Db } from './database.ts';
import { type PageQuery, isUuid, pageSize } from './page.ts';
import { type VersionView } from '../domain/apps.ts';
import { storable } from '../domain/storable.ts';
import { CONFIRMED } from './conditions.ts';
import { judgedVersions, type JudgedVersion } from './attestations.ts';
import { heldVersions } from './policies.ts';
import { claimsOf } from './about.ts';
import { type Selectable } from 'kysely';
import { type VersionRow } from './tables/tables.ts';
import { type PolicyHold } from '../domain/policies.ts';
import { timeSince, isoTimeSince } from '../domain/registries.ts';

/**
 * All known versions of an app, the highest first, invalid semantic versions last. `after` is a version.
 * @returns null if the app is unknown
 */
export async function versionsOf(
  db: Db,
  organizationId: string,
  subscriptionId: string,
  key: string,
  { limit, after }: PageQuery,
): Promise<{ versions: VersionView[]; next: string | null } | null> {
  if (!isUuid(subscriptionId)) return null;
  const app = await db
    .selectFrom('subscriptions')
    .innerJoin('apps', 'apps.registryId', 'subscriptions.registryId')
    .where('organizationId', '=', organizationId)
    .where('id', '=', subscriptionId)
    .where('key', '=', storable(key))
    .where(CONFIRMED)
    .select(['apps.registryId', 'key', 'listed', 'registrySince', 'attestations', 'attestationSigner', 'policy'])
    .executeTakeFirst();
  if (app === undefined) return null;
  const versions = db.selectFrom('versions').where('registryId', '=', app.registryId).where('appKey', '=', app.key);
  // The database cannot sort semantic versions.
  const all = (await versions.select('version').execute()).map(({ version }) => version).sort(highestFirst);
  const rest = after === null ? all : all.filter((version) => highestFirst(version, after) > 0);
  const page = rest.slice(0, pageSize(limit));
  const last = page.at(-1);
  if (last === undefined) return { versions: [], next: null };
  const rows = await versions.selectAll().where('version', 'in', page).execute();
  const place = { ...app, subscriptionId, appKey: app.key };
  const [attestations, held, claims] = await Promise.all([
    judgedVersions(db, place, rows),
    heldVersions(db, place, rows),
    claimsOf(db, place, page),
  ]);
  return {
    versions: rows
      .sort((a, b) => highestFirst(a.version, b.version))
      .map((row) => {
        const { version } = row;
        const [attestation, hold] = [attestations.get(version) ?? null, held.get(version) ?? null];
        return versionView(row, app, { attestation, hold, claims: claims.get(version) ?? NOTHING_CLAIMED });
      }),
    next: rest.length > page.length ? last : null,
  };
}

const NOTHING_CLAIMED: AboutVersion = { published: null, notes: null, deprecated: null };

function versionView(
  row: Selectable<VersionRow>,
  { listed, registrySince }: { listed: boolean; registrySince: Date },
  { attestation, hold, claims }: { attestation: JudgedVersion | null; hold: PolicyHold | null; claims: AboutVersion },
): VersionView {
  const withdrawn = row.withdrawnAt !== null || !listed;
  /** Apart from the policy of the subscription. */
  const isCandidate = row.state === 'verified' && !withdrawn && attestation?.isOffered !== false;
  return {
    version: row.version,
    artifactUrl: redact(row.artifactUrl),
    artifactChecksum: row.artifactChecksum,
    firstSeenAt: timeSince(row.firstSeenAt, registrySince).toISOString(),
    state: withdrawn ? 'withdrawn' : row.state,
    offered: isCandidate && hold === null,
    reason: row.rule === null ? null : { rule: row.rule, message: row.reason ?? '' },
    verifiedAt: isoTimeSince(row.verifiedAt, registrySince),
    bytes: row.bytes === null ? null : Number(row.bytes),
    swappedChecksum: row.swappedChecksum,
    servedChecksum: row.servedChecksum,
    withdrawnAt: isoTimeSince(row.withdrawnAt, registrySince),
    lostAt: isoTimeSince(row.lostAt, registrySince),
    published: claims.published,
    notes: claims.notes,
    deprecated: claims.deprecated,
    attestation: attestation?.view ?? null,
    policyHold: isCandidate ? hold : null,
  };
}
