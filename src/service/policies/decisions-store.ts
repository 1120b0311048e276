import { sql } from 'kysely';
import { decideVersions, type Hold } from '../../core/policy/decide.ts';
import { type Policy, policyOf } from '../../core/policy/policy.ts';
import type { Db } from '../database/database.ts';
import type { PolicyDecisionRow } from '../database/version-tables.ts';
import { VERSION_OF_APP } from '../database/sql-fragments.ts';
import {
  appKeyBatches,
  candidatesOf,
  type CandidateVersion,
  IS_CANDIDATE,
  POLICED_COLUMNS,
  type PolicedSubscription,
} from './candidates-store.ts';

/** What the policies of subscriptions decide about versions. */

/** Applies the policies of a registry's subscriptions to the versions that it offers now. */
export async function decidePolicies(db: Db, registryId: number, now: Date): Promise<void> {
  const subscriptions = await db
    .selectFrom('subscriptions')
    .where('registryId', '=', registryId)
    .where('policy', 'is not', null)
    .select('id')
    .execute();
  if (subscriptions.length === 0) return;
  const batches = await appKeyBatches(db, registryId);
  for (const { id } of subscriptions) {
    for (const keys of batches)
      await inPolicy(db, registryId, id, (tx, one, policy) => decide(tx, one, policy, keys, now));
    await inPolicy(db, registryId, id, (tx) => forgetOthers(tx, id));
  }
}

/** Does something with a subscription in a transaction, if it has a policy. Changes of the policy wait, and are seen. */
async function inPolicy(
  db: Db,
  registryId: number,
  subscriptionId: string,
  act: (tx: Db, subscription: PolicedSubscription, policy: Policy) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const subscription = await tx
      .selectFrom('subscriptions')
      .where('id', '=', subscriptionId)
      .where('registryId', '=', registryId)
      .select(POLICED_COLUMNS)
      .forUpdate()
      .executeTakeFirst();
    if (subscription === undefined || subscription.policy === null) return;
    await act(tx, subscription, policyOf(subscription.policy));
  });
}

/**
 * Replaces all decisions of a subscription.
 * @param tx the transaction that sets the policy, and has locked the subscription
 * @param policy null for none
 */
export async function decideAnew(
  tx: Db,
  subscription: PolicedSubscription,
  policy: Policy | null,
  now: Date,
): Promise<void> {
  await tx.deleteFrom('policyDecisions').where('subscriptionId', '=', subscription.id).execute();
  if (policy === null) return;
  for (const keys of await appKeyBatches(tx, subscription.registryId))
    await decide(tx, subscription, policy, keys, now);
}

/** Replaces all decisions of a subscription, if it has a policy: which attestations are valid depends on their signer. */
export async function decideSubscription(tx: Db, subscriptionId: string): Promise<void> {
  const subscription = await tx
    .selectFrom('subscriptions')
    .where('id', '=', subscriptionId)
    .select(POLICED_COLUMNS)
    .executeTakeFirst();
  if (subscription === undefined || subscription.policy === null) return;
  await decideAnew(tx, subscription, policyOf(subscription.policy), new Date());
}

/** Rows per statement. */
const BATCH_SIZE = 1000;

async function decide(
  tx: Db,
  subscription: PolicedSubscription,
  policy: Policy,
  keys: readonly string[],
  now: Date,
): Promise<void> {
  const { id: subscriptionId, registryId } = subscription;
  const rows: PolicyDecisionRow[] = [];
  for (const app of await candidatesOf(tx, subscription, keys)) {
    const holds = new Map(decideVersions(policy, app, now).map(({ version, hold }) => [version, hold]));
    for (const one of app.versions) {
      const decision = decisionOf(holds.get(one.version) ?? null);
      if (isSame(one.decision, decision)) continue;
      const { version, checksum } = one;
      rows.push({ subscriptionId, registryId, appKey: app.key, version, checksum, ...decision });
    }
  }
  for (let start = 0; start < rows.length; start += BATCH_SIZE)
    await tx
      .insertInto('policyDecisions')
      .values(rows.slice(start, start + BATCH_SIZE))
      .onConflict((conflict) =>
        conflict.columns(['subscriptionId', 'registryId', 'appKey', 'version']).doUpdateSet({
          checksum: sql`excluded.checksum`,
          cause: sql`excluded.cause`,
          line: sql`excluded.line`,
          offeredAt: sql`excluded.offered_at`,
        }),
      )
      .execute();
}

type Decision = Exclude<CandidateVersion['decision'], null>;

/** Before every clock: a database whose clock is slow offers the version as well. */
const OFFERED_ALWAYS: Decision = { cause: null, line: null, offeredAt: new Date(0) };

function decisionOf(hold: Hold | null): Decision {
  return hold === null ? OFFERED_ALWAYS : { cause: hold.cause, line: hold.line, offeredAt: hold.offeredAt };
}

function isSame(a: Decision | null, b: Decision): boolean {
  return a !== null && a.cause === b.cause && a.line === b.line && a.offeredAt?.getTime() === b.offeredAt?.getTime();
}

/** Deletes the decisions about versions that the registry does not offer: they are decided about again if it does. */
async function forgetOthers(tx: Db, subscriptionId: string): Promise<void> {
  await sql`
    DELETE FROM policy_decisions AS old WHERE old.subscription_id = ${subscriptionId} AND NOT EXISTS (
      SELECT FROM subscriptions
        JOIN versions ON versions.registry_id = subscriptions.registry_id
        JOIN apps ON ${VERSION_OF_APP}
      WHERE subscriptions.id = old.subscription_id AND versions.registry_id = old.registry_id
        AND versions.app_key = old.app_key AND versions.version = old.version
        AND versions.artifact_checksum = old.checksum AND ${IS_CANDIDATE})`.execute(tx);
}

/**
 * The subscription uses another row of its registry from now on.
 * @param move.isCopy whether that row began with a copy of the former one, so that the decisions are about the same
 *   versions
 */
export async function moveDecisions(
  tx: Db,
  { subscriptionId, registryId, isCopy }: { subscriptionId: string; registryId: number; isCopy: boolean },
): Promise<void> {
  if (isCopy)
    await tx.updateTable('policyDecisions').set({ registryId }).where('subscriptionId', '=', subscriptionId).execute();
  else await tx.deleteFrom('policyDecisions').where('subscriptionId', '=', subscriptionId).execute();
}
