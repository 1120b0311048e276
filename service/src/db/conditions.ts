import { sql } from 'kysely';
import { type Db } from './database.ts';

/** Fragments of SQL that several queries share. */

/** The number of rows, as a column `count`. PostgreSQL counts in bigint, which the client returns as text. */
export const COUNT = sql<number>`count(*)::int`.as('count');

export const VERSION_OF_APP = sql<boolean>`versions.registry_id = apps.registry_id AND versions.app_key = apps.key`;

/**
 * The order of `highestFirst` in SQL: versions, the highest first, others than semantic ones last. The precedence of SemVer, except for some
 * pre-releases of the same version, which are compared as names.
 */
export const HIGHEST_FIRST = sql`
  string_to_array(substring(versions.version FROM '^\\d+\\.\\d+\\.\\d+(?=$|[-+])'), '.')::numeric[] DESC NULLS LAST,
  substring(versions.version FROM '^[0-9.]+-.*') COLLATE natural_order DESC NULLS FIRST, versions.version COLLATE "C"`;

/** A version that is offered, provided that its app is listed: verified, and not withdrawn. */
export const OFFERED = sql<boolean>`versions.state = 'verified' AND versions.withdrawn_at IS NULL`;

/**
 * A version that the attestations of a subscription allow: one that requires attestations is offered only versions that
 * were found to have a valid one, or that it was offered before. Without a decision, nothing is offered.
 */
export const ATTESTED_TO = sql<boolean>`(subscriptions.attestations <> 'require' OR EXISTS (
  SELECT FROM attestation_decisions AS decisions
  WHERE decisions.subscription_id = subscriptions.id AND decisions.app_key = versions.app_key
    AND decisions.version = versions.version AND decisions.checksum = versions.artifact_checksum
    AND decisions.decision <> 'held'))`;

/**
 * The decision of a subscription's policy about a version, as a table `policed`. One about another digest, or about the
 * version in another row of the registry, is none.
 */
export const POLICY_DECISION = sql`policy_decisions AS policed
  WHERE policed.subscription_id = subscriptions.id AND policed.registry_id = versions.registry_id
    AND policed.app_key = versions.app_key AND policed.version = versions.version
    AND policed.checksum = versions.artifact_checksum`;

/**
 * A version that the policy of a subscription allows at this time: without a policy, each one. Without a decision,
 * nothing is offered.
 */
export const ALLOWED_TO = sql<boolean>`(subscriptions.policy IS NULL OR EXISTS (
  SELECT FROM ${POLICY_DECISION} AND policed.offered_at <= now()))`;

/** A version that is offered to a subscription: its attestations and its policy allow it. */
export const OFFERED_TO = sql<boolean>`(${OFFERED} AND ${ATTESTED_TO} AND ${ALLOWED_TO})`;

/** A subscription that is not offered everything that its registry offers. */
export const IS_SELECTIVE = sql<boolean>`(subscriptions.attestations = 'require' OR subscriptions.policy IS NOT NULL)`;

/**
 * An app that a subscription can install: one of its versions is offered. An app hidden by a rule cannot, but if only its
 * metadata file fails, the last known state remains valid. An index of `apps` uses the same expression.
 */
export const INSTALLABLE = sql<boolean>`(apps.listed AND apps.latest IS NOT NULL
  AND (apps.visible IS NOT FALSE OR apps.failing_since IS NOT NULL)
  AND (NOT ${IS_SELECTIVE}
    OR EXISTS (SELECT FROM versions WHERE ${VERSION_OF_APP} AND ${OFFERED_TO})))`;

/**
 * A subscription that may see what the service has stored about its registry: the host has served the URL since the
 * organization subscribed. A URL may be a signature that has been revoked meanwhile. Every query of an organization's
 * apps, versions, icons, reports and events has this condition.
 */
export const CONFIRMED = sql<boolean>`subscriptions.confirmed_at IS NOT NULL`;

/** A registry that is checked: an organization that is not suspended subscribes to it. */
export const HAS_SUBSCRIBERS = sql<boolean>`EXISTS (
  SELECT FROM subscriptions JOIN organizations ON organizations.id = subscriptions.organization_id
  WHERE subscriptions.registry_id = registries.id AND organizations.suspended_at IS NULL)`;

/** A webhook whose deliveries are sent: those of a suspended organization wait. */
export const SENDS = sql<boolean>`(webhooks.enabled AND organizations.suspended_at IS NULL)`;

/**
 * Concurrent changes of an organization's tokens or webhooks wait for each other until the end of the transaction, since
 * their number is limited.
 */
export async function lockOrganization(tx: Db, organizationId: string): Promise<void> {
  await tx.selectFrom('organizations').where('id', '=', organizationId).select('id').forUpdate().execute();
}
