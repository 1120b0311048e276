import { sql } from 'kysely';
import type { PolicyDocument } from '../../core/policy/policy-document.ts';
import type { Db } from '../database/database.ts';
import { type PolicyHold, policyHold } from './hold.ts';

/** What policies hold back, for the views of versions. */

interface AppOfSubscription {
  registryId: number;
  appKey: string;
  subscriptionId: string;
  policy: PolicyDocument | null;
}

/** Why the policy of the subscription holds versions of an app back, by version; none if it has no policy. */
export async function heldVersions(
  db: Db,
  { registryId, appKey, subscriptionId, policy }: AppOfSubscription,
  versions: readonly { version: string; artifactChecksum: string }[],
): Promise<Map<string, PolicyHold>> {
  if (policy === null) return new Map();
  const rows = await db
    .selectFrom('policyDecisions')
    .where('subscriptionId', '=', subscriptionId)
    .where('registryId', '=', registryId)
    .where('appKey', '=', appKey)
    .where('version', '=', sql<string>`ANY(${versions.map(({ version }) => version)})`)
    .select(['version', 'checksum', 'cause', 'line', 'offeredAt'])
    .select(sql<boolean>`coalesce(offered_at <= now(), FALSE)`.as('isOffered'))
    .execute();
  const decisions = new Map(rows.map((row) => [row.version, row]));
  return new Map(
    versions.flatMap(({ version, artifactChecksum }) => {
      const row = decisions.get(version);
      const decision = row?.checksum === artifactChecksum ? row : null;
      return decision?.isOffered === true ? [] : [[version, policyHold(decision)] as const];
    }),
  );
}
