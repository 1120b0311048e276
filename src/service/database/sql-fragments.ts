import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Fragments of SQL that several queries share. */

/** The number of rows, as a column `count`. PostgreSQL counts in bigint, which the client returns as text. */
export const COUNT = sql<number>`count(*)::int`.as('count');

/** The versions of an app. */
export const VERSION_OF_APP = sql<boolean>`versions.registry_id = apps.registry_id AND versions.app_key = apps.key`;

/** A version that is offered, provided that its app is listed: verified, and not withdrawn. */
export const OFFERED = sql<boolean>`versions.state = 'verified' AND versions.withdrawn_at IS NULL`;

/**
 * An app that can be installed: one of its versions is offered. An app hidden by a rule cannot, but if only its
 * metadata file fails, the last known state remains valid. An index of `apps` uses the same expression.
 */
export const INSTALLABLE = sql<boolean>`(apps.listed AND apps.latest IS NOT NULL
  AND (apps.visible IS NOT FALSE OR apps.failing_since IS NOT NULL))`;

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

/**
 * Concurrent changes of an organization's tokens or webhooks wait for each other until the end of the transaction, since
 * their number is limited.
 */
export async function lockOrganization(tx: Db, organizationId: string): Promise<void> {
  await tx.selectFrom('organizations').where('id', '=', organizationId).select('id').forUpdate().execute();
}
