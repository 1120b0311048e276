import { sql } from 'kysely';

/** Fragments shared by several queries. `a` is a row of `apps`, `v` one of `versions`, `r` one of `registries`. */

/** A version that is offered, provided that its app is listed: verified, and not withdrawn. */
export const OFFERED = sql<boolean>`v.state = 'verified' and v.withdrawn_at is null`;

/**
 * An app that can be installed: one of its versions is offered. An app hidden by a rule cannot, but if only its
 * metadata file fails, the previous state stays in force. An index of `apps` uses the same expression.
 */
export const INSTALLABLE = sql<boolean>`(a.listed and a.latest is not null
  and (a.visible is not false or a.failing_since is not null))`;

/** A registry that is checked: an organization that is not suspended subscribes to it. */
export const WANTED = sql<boolean>`exists (select from subscriptions wanted_by
  join organizations wanting on wanting.id = wanted_by.organization_id
  where wanted_by.registry_id = r.id and wanting.suspended_at is null)`;
