import { type Policy, type PolicyDocument, policyOf, type PolicyPreview } from 'appreg';
import { type Db } from './database.ts';
import {
  appKeyBatches,
  type PolicedSubscription,
  POLICED_COLUMNS,
  candidatesOf,
  IS_CANDIDATE,
} from './policy-candidates.ts';
import {
  type DecidedApp,
  decideApps,
  decisionRows,
  type PolicyHold,
  policyHold,
  policyPreview,
} from '../domain/policies.ts';
import { sql } from 'kysely';
import { VERSION_OF_APP } from './conditions.ts';
import { isUuid } from './page.ts';
import { type Actor } from '../domain/audit.ts';
import { recordAudit } from './audit.ts';
import { registryEvent } from '../domain/events.ts';
import { recordEvents } from './events.ts';
import { storableJson } from '../domain/storable.ts';

/** Decisions of the policies of subscriptions about versions. */

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
      await db.transaction().execute(async (tx) => {
        const locked = await lockPoliced(tx, id, registryId);
        if (locked === null) return;
        const { subscription, policy } = locked;
        const apps = await candidatesOf(tx, subscription, keys);
        await storeDecisions(tx, subscription, decideApps(policy, apps, now));
      });
    await db.transaction().execute(async (tx) => {
      if ((await lockPoliced(tx, id, registryId)) !== null) await forgetOthers(tx, id);
    });
  }
}

/** A subscription with its policy: changes of the policy wait. Null if it has none any more, or uses another row. */
async function lockPoliced(tx: Db, id: string, registryId: number) {
  const subscription = await tx
    .selectFrom('subscriptions')
    .where('id', '=', id)
    .where('registryId', '=', registryId)
    .select(POLICED_COLUMNS)
    .forUpdate()
    .executeTakeFirst();
  if (subscription === undefined || subscription.policy === null) return null;
  return { subscription, policy: policyOf(subscription.policy) };
}

/** Applies the policy of a subscription again, if it has one: which attestations are valid depends on their signer. */
export async function decideSubscription(tx: Db, subscriptionId: string): Promise<void> {
  const subscription = await tx
    .selectFrom('subscriptions')
    .where('id', '=', subscriptionId)
    .select(POLICED_COLUMNS)
    .executeTakeFirst();
  if (subscription === undefined || subscription.policy === null) return;
  await storeDecisions(tx, subscription, await decideAll(tx, subscription, policyOf(subscription.policy), new Date()));
  await forgetOthers(tx, subscriptionId);
}

/** Applies a policy to all apps of the registry. */
async function decideAll(
  db: Db,
  subscription: PolicedSubscription,
  policy: Policy | null,
  now: Date,
): Promise<DecidedApp[]> {
  const decided: DecidedApp[] = [];
  for (const keys of await appKeyBatches(db, subscription.registryId))
    decided.push(...decideApps(policy, await candidatesOf(db, subscription, keys), now));
  return decided;
}

/** Rows per statement. */
const BATCH_SIZE = 1000;

async function storeDecisions(
  tx: Db,
  subscription: Pick<PolicedSubscription, 'id' | 'registryId'>,
  decided: readonly DecidedApp[],
): Promise<void> {
  const rows = decisionRows(subscription, decided);
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

async function forgetAll(tx: Db, subscriptionId: string): Promise<void> {
  await tx.deleteFrom('policyDecisions').where('subscriptionId', '=', subscriptionId).execute();
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
  else await forgetAll(tx, subscriptionId);
}

/** The policies of subscriptions. Every query is restricted to the organization. */

/** @returns the policy, null if there is none; null in place of it if the organization does not have the subscription */
export async function storedPolicy(
  db: Db,
  organizationId: string,
  subscriptionId: string,
): Promise<{ policy: PolicyDocument | null } | null> {
  return (await subscriptionQuery(db, organizationId, subscriptionId)?.executeTakeFirst()) ?? null;
}

function subscriptionQuery(db: Db, organizationId: string, subscriptionId: string) {
  if (!isUuid(subscriptionId)) return null;
  return db
    .selectFrom('subscriptions')
    .where('organizationId', '=', organizationId)
    .where('id', '=', subscriptionId)
    .select([...POLICED_COLUMNS, 'name']);
}

/** Computes the effect of a policy. @returns null if the organization does not have the subscription */
export async function previewPolicy(
  db: Db,
  { organizationId, subscriptionId, now }: { organizationId: string; subscriptionId: string; now: Date },
  document: PolicyDocument | null,
): Promise<PolicyPreview | null> {
  const subscription = await subscriptionQuery(db, organizationId, subscriptionId)?.executeTakeFirst();
  if (subscription === undefined) return null;
  const policy = document && policyOf(document);
  return seenPreview(subscription, await decideAll(db, subscription, policy, now));
}

/** Hides the apps that the subscription does not see yet. */
function seenPreview({ confirmedAt }: PolicedSubscription, decided: readonly DecidedApp[]): PolicyPreview {
  return policyPreview(confirmedAt === null ? [] : decided);
}

export interface PolicyTarget {
  organizationId: string;
  subscriptionId: string;
  actor: Actor;
  now: Date;
  /** True if the policy may hide everything. */
  confirm: boolean;
}

/** `unconfirmed`: it would hide everything, and was not set. */
export type PolicyOutcome = { outcome: 'set' | 'same' | 'unconfirmed'; preview: PolicyPreview };

/**
 * Sets or removes the policy of a subscription, and applies it to all versions.
 * @returns null if the organization does not have the subscription
 */
export async function setPolicy(
  db: Db,
  { organizationId, subscriptionId, actor, now, confirm }: PolicyTarget,
  document: PolicyDocument | null,
): Promise<PolicyOutcome | null> {
  return db.transaction().execute(async (tx) => {
    const row = await subscriptionQuery(tx, organizationId, subscriptionId)?.forUpdate().executeTakeFirst();
    if (row === undefined) return null;
    const policy = document && policyOf(document);
    const decided = await decideAll(tx, row, policy, now);
    const preview = seenPreview(row, decided);
    const [before, after] = [textOf(row.policy), textOf(document)];
    if (before === after) return { outcome: 'same', preview };
    if (preview.hidesEverything && !confirm) return { outcome: 'unconfirmed', preview };
    await tx.updateTable('subscriptions').set({ policy: after }).where('id', '=', subscriptionId).execute();
    if (policy !== null) await storeDecisions(tx, row, decided);
    await (policy === null ? forgetAll(tx, subscriptionId) : forgetOthers(tx, subscriptionId));
    const target = { id: subscriptionId, name: row.name };
    await recordAudit(tx, {
      organizationId,
      actor,
      action: 'registry-policy-changed',
      target,
      details: { before, after },
    });
    const [hidden, appearing] = [preview.hidden.length, preview.appearing.length];
    const event = registryEvent('policy-changed', { before: row.policy, after: document, hidden, appearing });
    await recordEvents(tx, [{ ...event, registryId: row.registryId, subscriptionId, at: now }]);
    return { outcome: 'set', preview };
  });
}

function textOf(document: PolicyDocument | null): string | null {
  return document === null ? null : storableJson(document);
}

/** Versions that policies hold back, for views. */

interface AppOfSubscription {
  registryId: number;
  appKey: string;
  subscriptionId: string;
  policy: PolicyDocument | null;
}

/**
 * The reasons why the policy of the subscription holds versions of an app back, by version; none if it has no policy.
 */
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
