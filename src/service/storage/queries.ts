import { sql } from 'kysely';

/** Pieces that several queries are made of. `a` is a row of `apps`, `v` one of `versions`. */

/** A version that is offered, as far as its app is listed: verified, and not withdrawn. */
export const OFFERED = sql<boolean>`v.state = 'verified' and v.withdrawn_at is null`;

/**
 * An app that can be installed: a version of it is offered. One that a rule hides is not, but where merely its metadata
 * file fails, what was known before stays in force. An index of `apps` has the same words.
 */
export const INSTALLABLE = sql<boolean>`(a.listed and a.latest is not null
  and (a.visible is not false or a.failing_since is not null))`;

/** True for a UUID as the database writes it; anything else would be an error of the query. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
