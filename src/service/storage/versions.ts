import { compareText } from '../../core/engine/order.ts';
import { redact } from '../../core/text/text.ts';
import { comparePrecedence, isSemver } from '../../core/registry/version.ts';
import { bounded, type Page } from './catalog.ts';
import type { Db } from './database.ts';
import { storable } from './packed.ts';
import type { VersionRow } from './tables.ts';
import { isId } from './sql-fragments.ts';
import type { VersionView } from '../views.ts';

/**
 * All known versions of an app, the highest first, invalid semantic versions last. `after` is a version.
 * @returns null if the app is unknown
 */
export async function versionsOf(
  db: Db,
  organizationId: string,
  subscriptionId: string,
  key: string,
  { limit, after }: Page,
): Promise<{ versions: VersionView[]; next: string | null } | null> {
  if (!isId(subscriptionId)) return null;
  const app = await db
    .selectFrom('subscriptions as s')
    .innerJoin('apps as a', 'a.registryId', 's.registryId')
    .where('s.organizationId', '=', organizationId)
    .where('s.id', '=', subscriptionId)
    .where('a.key', '=', storable(key))
    .select(['a.registryId', 'a.key', 'a.listed'])
    .executeTakeFirst();
  if (app === undefined) return null;
  const versions = db.selectFrom('versions').where('registryId', '=', app.registryId).where('appKey', '=', app.key);
  // The database cannot sort semantic versions.
  const all = (await versions.select('version').execute()).map(({ version }) => version).sort(highestFirst);
  const rest = after === null ? all : all.filter((version) => highestFirst(version, after) > 0);
  const wanted = rest.slice(0, bounded(limit));
  if (wanted.length === 0) return { versions: [], next: null };
  const rows = await versions.selectAll().where('version', 'in', wanted).execute();
  return {
    versions: rows.sort((a, b) => highestFirst(a.version, b.version)).map((row) => versionView(row, app.listed)),
    next: rest.length > wanted.length ? wanted.at(-1)! : null,
  };
}

function highestFirst(a: string, b: string): number {
  const valid = isSemver(a);
  if (valid !== isSemver(b)) return valid ? -1 : 1;
  return (valid ? comparePrecedence(b, a) : 0) || compareText(a, b);
}

function versionView(
  row: Omit<VersionRow, 'bytes' | 'firstSeenAt'> & { bytes: string | null; firstSeenAt: Date },
  listed: boolean,
): VersionView {
  const withdrawn = row.withdrawnAt !== null || !listed;
  return {
    version: row.version,
    artifactUrl: redact(row.artifactUrl),
    artifactChecksum: row.artifactChecksum,
    firstSeenAt: row.firstSeenAt.toISOString(),
    state: withdrawn ? 'withdrawn' : row.state,
    offered: row.state === 'verified' && !withdrawn,
    reason: row.rule === null ? null : { rule: row.rule, message: row.reason ?? '' },
    verifiedAt: row.verifiedAt?.toISOString() ?? null,
    bytes: row.bytes === null ? null : Number(row.bytes),
    swappedChecksum: row.swappedChecksum,
    withdrawnAt: row.withdrawnAt?.toISOString() ?? null,
  };
}
