import { type SelectQueryBuilder, type RawBuilder, sql } from 'kysely';

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

/** The order of a list: of creation, by ids that contain the time; or of recording, the newest first. */
interface ListOrder {
  table: string;
  /** Of rows in order of creation: a column of booleans; rows with TRUE are listed before the others. */
  first?: string;
  /** Of rows that are numbered: the column of the rows whose list it is, and its value. */
  newestOf?: readonly [column: string, id: string];
}

/**
 * A page of a list whose `next` is the id of its last row. The cost does not depend on the number of rows before it. The
 * list continues if that row is deleted: its id is its position, and of numbered rows only the oldest are deleted.
 */
export async function pageById<Tables, Table extends keyof Tables, Row extends { id: string }>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { limit, after }: PageQuery,
  order: ListOrder,
): Promise<{ page: readonly Row[]; next: string | null }> {
  if (after !== null && !isUuid(after)) return { page: [], next: null };
  const sorted = query
    .orderBy(sortKey(order), order.newestOf === undefined ? 'asc' : 'desc')
    .limit(pageSize(limit) + 1);
  const rows = await (after === null ? sorted : sorted.where(isAfter(order, after))).execute();
  return pageOf(rows, limit, ({ id }) => id);
}

/** The sort key of a list, of columns that no two rows have in common. */
export function sortKey({ table, first, newestOf }: ListOrder): RawBuilder<unknown> {
  if (newestOf !== undefined) return column(table, 'sequence');
  return first === undefined ? column(table, 'id') : sql`NOT ${column(table, first)}, ${column(table, 'id')}`;
}

/** Rows that are listed after the one of an id. */
function isAfter({ table, first, newestOf }: ListOrder, id: string): RawBuilder<boolean> {
  const previous = sql`FROM ${sql.table(table)} AS previous WHERE previous.id = ${id}`;
  if (newestOf !== undefined) {
    const [of, value] = newestOf;
    return sql`${column(table, 'sequence')} < (SELECT sequence ${previous} AND ${column('previous', of)} = ${value})`;
  }
  if (first === undefined) return sql`${column(table, 'id')} > ${id}`;
  // Most rows do not have TRUE in the column, so this is assumed of one that was deleted.
  return sql`(NOT ${column(table, first)}, ${column(table, 'id')}) >
    (coalesce((SELECT NOT ${column('previous', first)} ${previous}), TRUE), ${id}::uuid)`;
}

const column = (row: string, name: string): RawBuilder<unknown> => sql.ref(`${row}.${name}`);

/** True for a UUID as written by the database; anything else would make a query fail. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
