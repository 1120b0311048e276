import type { Context } from 'hono';
import { DEFAULT_PAGE_LIMIT, LONGEST_SEARCH, PAGE_LIMIT } from '../storage/page.ts';
import { isUuid } from '../storage/uuid.ts';
import { Refusal } from '../http/problems.ts';

/** Query parameters. A malformed one is refused, since ignoring it would change the meaning of the request. */

/** @param isNext whether a text can be the `next` of a page */
export function pageQueryIn(
  c: Context,
  isNext = (_text: string): boolean => true,
): { limit: number; after: string | null } {
  const limit = c.req.query('limit') ?? String(DEFAULT_PAGE_LIMIT);
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > PAGE_LIMIT)
    throw invalidParameter('limit', `is not a number from 1 to ${PAGE_LIMIT}.`);
  const after = c.req.query('after') ?? null;
  if (after !== null && !isNext(after)) throw invalidParameter('after', 'is not the “next” value of a previous page.');
  return { limit: Number(limit), after };
}

/** The same for lists whose `next` is the id of an entry. */
export function idPageQueryIn(c: Context): { limit: number; after: string | null } {
  return pageQueryIn(c, isUuid);
}

export function searchIn(c: Context): string | null {
  const search = c.req.query('search') ?? null;
  if (search !== null && search.length > LONGEST_SEARCH)
    throw invalidParameter('search', `is longer than ${LONGEST_SEARCH} characters.`);
  return search;
}

export function visibleIn(c: Context): boolean | null {
  const visible = c.req.query('visible');
  if (visible === undefined) return null;
  if (visible !== 'true' && visible !== 'false') throw invalidParameter('visible', 'is neither true nor false.');
  return visible === 'true';
}

export function invalidParameter(field: string, fault: string): Refusal {
  const detail = `The parameter “${field}” ${fault}`;
  return new Refusal('invalid-parameter', detail, { errors: [{ field, detail }] });
}
