/** A page of a list. */
export interface Page {
  /** Maximum number of entries, at most PAGE_LIMIT. */
  limit: number;
  /** The `next` of the previous page; null for the first page. */
  after: string | null;
}

export const PAGE_LIMIT = 500;

/** The number of entries of a page, within 1 and PAGE_LIMIT. */
export function pageSize(limit: number): number {
  return Math.max(1, Math.min(Math.trunc(limit), PAGE_LIMIT));
}
