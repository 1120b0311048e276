import { type Db } from './database.ts';
import { type SubscriptionPolicy, policyOf } from '../domain/signers.ts';
import { isUuid } from './page.ts';
import { type Actor, type AuditDetails } from '../domain/audit.ts';
import { recordAudit } from './audit.ts';
import { decideSubscription } from './policies.ts';
import { sql } from 'kysely';
import { VERSION_OF_APP, OFFERED, ALLOWED_TO } from './conditions.ts';

/** The policies of subscriptions. Every query is restricted to the organization. */

/** @returns null if the organization does not have the subscription, or if the id is invalid */
export async function attestationPolicy(
  db: Db,
  organizationId: string,
  subscriptionId: string,
): Promise<SubscriptionPolicy | null> {
  const row = await policyQuery(db, organizationId, subscriptionId)?.executeTakeFirst();
  return row === undefined ? null : policyOf(row.attestations, row.attestationSigner);
}

function policyQuery(db: Db, organizationId: string, subscriptionId: string) {
  if (!isUuid(subscriptionId)) return null;
  return db
    .selectFrom('subscriptions')
    .where('organizationId', '=', organizationId)
    .where('id', '=', subscriptionId)
    .select(['registryId', 'name', 'confirmedAt', 'attestations', 'attestationSigner']);
}

interface PolicyTarget {
  organizationId: string;
  subscriptionId: string;
  actor: Actor;
}

/**
 * Sets the policy of a subscription. If attestations are required from now on, or those of another signer, the versions
 * that are offered at this time stay offered.
 * @returns the registry, and whether the policy was another one; null if the organization does not have the subscription
 */
export async function setAttestationPolicy(
  db: Db,
  { organizationId, subscriptionId, actor }: PolicyTarget,
  policy: SubscriptionPolicy,
): Promise<{ registryId: number; changed: boolean } | null> {
  return db.transaction().execute(async (tx) => {
    const row = await policyQuery(tx, organizationId, subscriptionId)?.forUpdate().executeTakeFirst();
    if (row === undefined) return null;
    const { registryId, name } = row;
    const before = policyOf(row.attestations, row.attestationSigner);
    if (JSON.stringify(detailsOf(before)) === JSON.stringify(detailsOf(policy))) return { registryId, changed: false };
    const signer = policy.mode === 'off' ? null : JSON.stringify(policy.signer);
    await tx
      .updateTable('subscriptions')
      .set({ attestations: policy.mode, attestationSigner: signer })
      .where('id', '=', subscriptionId)
      .execute();
    if (policy.mode !== 'require')
      await tx.deleteFrom('attestationDecisions').where('subscriptionId', '=', subscriptionId).execute();
    else if (before.mode === 'require') await keepAttested(tx, subscriptionId);
    // Versions that the subscription does not see yet are not offered to it.
    else if (row.confirmedAt !== null) await keepOffered(tx, subscriptionId, registryId);
    // Policies may depend on the signer.
    await decideSubscription(tx, subscriptionId);
    const target = { id: subscriptionId, name };
    const details = detailsOf(policy);
    await recordAudit(tx, { organizationId, actor, action: 'registry-attestations-changed', target, details });
    return { registryId, changed: true };
  });
}

function detailsOf(policy: SubscriptionPolicy): AuditDetails {
  if (policy.mode === 'off') return { mode: policy.mode };
  const { mode, signer } = policy;
  if ('publicKey' in signer) return { mode, key: `sha256:${signer.keySha256}` };
  const { issuer, identity, repository } = signer;
  return { mode, issuer, identity, repository };
}

/** Keeps the versions that a former signer attested: they were offered before. */
async function keepAttested(tx: Db, subscriptionId: string): Promise<void> {
  await tx
    .updateTable('attestationDecisions')
    .set({ decision: 'offered-before' })
    .where('subscriptionId', '=', subscriptionId)
    .where('decision', '=', 'attested')
    .execute();
}

async function keepOffered(tx: Db, subscriptionId: string, registryId: number): Promise<void> {
  await sql`
    INSERT INTO attestation_decisions (subscription_id, app_key, version, checksum, decision)
    SELECT ${subscriptionId}, versions.app_key, versions.version, versions.artifact_checksum, 'offered-before'
    FROM versions JOIN apps ON ${VERSION_OF_APP} AND apps.listed
      JOIN subscriptions ON subscriptions.id = ${subscriptionId}
    WHERE versions.registry_id = ${registryId} AND ${OFFERED} AND ${ALLOWED_TO}`.execute(tx);
}
