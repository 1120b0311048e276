import { type Policy, policyOf } from '../../core/policy/policy.ts';
import type { PolicyDocument } from '../../core/policy/policy-document.ts';
import type { PolicyPreview } from '../../core/policy/preview.ts';
import type { Db } from '../database/database.ts';
import { storableJson } from '../database/packed.ts';
import { isUuid } from '../database/page.ts';
import type { Actor } from '../history/audit.ts';
import { recordAudit } from '../history/audit-store.ts';
import { registryEvent } from '../history/events.ts';
import { recordEvents } from '../history/store.ts';
import { appKeyBatches, type CandidateApp, candidatesOf, POLICED_COLUMNS } from './candidates-store.ts';
import { decideAnew } from './decisions-store.ts';
import { openPreview, type PolicyHold, policyHold } from './policy.ts';
import { sql } from 'kysely';

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

type Subscription = Exclude<
  Awaited<ReturnType<Exclude<ReturnType<typeof subscriptionQuery>, null>['executeTakeFirst']>>,
  undefined
>;

/** What a policy would do. @returns null if the organization does not have the subscription */
export async function previewPolicy(
  db: Db,
  { organizationId, subscriptionId, now }: { organizationId: string; subscriptionId: string; now: Date },
  document: PolicyDocument | null,
): Promise<PolicyPreview | null> {
  const subscription = await subscriptionQuery(db, organizationId, subscriptionId)?.executeTakeFirst();
  return subscription === undefined ? null : previewFor(db, subscription, document && policyOf(document), now);
}

async function previewFor(
  db: Db,
  subscription: Subscription,
  policy: Policy | null,
  now: Date,
): Promise<PolicyPreview> {
  const preview = openPreview(policy, now);
  for await (const apps of seenApps(db, subscription)) preview.add(apps);
  return preview.end();
}

/** The apps, in batches. What the subscription does not see yet is not shown. */
async function* seenApps(db: Db, subscription: Subscription): AsyncGenerator<CandidateApp[]> {
  if (subscription.confirmedAt === null) return;
  for (const keys of await appKeyBatches(db, subscription.registryId)) yield candidatesOf(db, subscription, keys);
}

export interface PolicyTarget {
  organizationId: string;
  subscriptionId: string;
  actor: Actor;
  now: Date;
  /** Whether the policy may hide everything. */
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
    const preview = await previewFor(tx, row, policy, now);
    const [before, after] = [textOf(row.policy), textOf(document)];
    if (before === after) return { outcome: 'same', preview };
    if (preview.hidesEverything && !confirm) return { outcome: 'unconfirmed', preview };
    await tx.updateTable('subscriptions').set({ policy: after }).where('id', '=', subscriptionId).execute();
    await decideAnew(tx, row, policy, now);
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
