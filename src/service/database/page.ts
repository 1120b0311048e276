/** Which page of a list is requested. */
export interface PageQuery {
  /** Maximum number of entries, at most PAGE_LIMIT. */
  limit: number;
  /** The `next` of the previous page; null for the first page. */
  after: string | null;
}

export const PAGE_LIMIT = 500;
/** The number of entries of a page, if the request does not say it. */
export const DEFAULT_PAGE_LIMIT = 100;
/** Maximum characters of a search in a list. */
export const LONGEST_SEARCH = 200;

/** The number of entries of a page, within 1 and PAGE_LIMIT. */
export function pageSize(limit: number): number {
  return Math.max(1, Math.min(Math.trunc(limit), PAGE_LIMIT));
}

/**
 * The rows of a page, and the cursor of the next one.
 * @param rows one more than the page holds, if another page follows @param cursorOf the `next` after a row
 */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string,
): { page: readonly Row[]; next: string | null } {
  const page = rows.slice(0, pageSize(limit));
  const last = page.at(-1);
  return { page, next: rows.length > page.length && last !== undefined ? cursorOf(last) : null };
}

/** True for a UUID as written by the database; anything else would make a query fail. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
