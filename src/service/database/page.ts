import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

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
 * @param rows one more than the page holds, if another page follows
 * @param cursorOf the `next` after a row
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

/** The columns by which a list is sorted, which no two rows have in common. @param row the name of the row in SQL */
type SortKey = (row: string) => RawBuilder<unknown>;

const column = (row: string, name: string): RawBuilder<unknown> => sql.ref(`${row}.${name}`);

/** Of rows in order of creation. */
export const BY_CREATION: SortKey = (row) => sql`${column(row, 'createdAt')}, ${column(row, 'id')}`;
/** Of rows that are numbered in the order of recording. */
const BY_SEQUENCE: SortKey = (row) => column(row, 'sequence');

/** How the rows of a table are listed: in ascending order of a key, or else in the order of recording, the newest first. */
interface ListOrder {
  table: string;
  key?: SortKey;
  /** The column of the rows whose list it is, and its value; none for a list of all. */
  of?: readonly [column: string, id: string];
}

/** A page of a list whose `next` is the id of its last row. The cost does not depend on the number of rows before it. */
export async function pageById<Tables, Table extends keyof Tables, Row extends { id: string }>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { limit, after }: PageQuery,
  { table, key, of }: ListOrder,
): Promise<{ page: readonly Row[]; next: string | null }> {
  if (after !== null && !isUuid(after)) return { page: [], next: null };
  const keyOf = key ?? BY_SEQUENCE;
  const sorted = query.orderBy(keyOf(table), key === undefined ? 'desc' : 'asc').limit(pageSize(limit) + 1);
  const rest =
    after === null
      ? sorted
      : sorted.where(
          sql<boolean>`(${keyOf(table)}) ${key === undefined ? sql`<` : sql`>`} (
            SELECT ${keyOf('previous')} FROM ${sql.table(table)} AS previous
            WHERE previous.id = ${after} AND ${of === undefined ? sql`TRUE` : sql`${column('previous', of[0])} = ${of[1]}`})`,
        );
  const rows = await rest.execute();
  return pageOf(rows, limit, ({ id }) => id);
}

/** True for a UUID as written by the database; anything else would make a query fail. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
