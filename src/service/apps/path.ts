import { pathWithQuery } from '../pages/path-with-query.ts';

/** Keys that a path may contain as they are: not empty, and without dot segments. */
const PLAIN_KEY = /^[\w-][\w.~-]*$/;

/**
 * The page of an app. A key may be any text, including one that would change the path: then it is in the query.
 * @param after the cursor of a page of its versions; null for the first page
 */
export function appPath(subscriptionId: string, key: string, after: string | null = null): string {
  const isPlain = PLAIN_KEY.test(key);
  return pathWithQuery(`apps/${subscriptionId}${isPlain ? `/${key}` : ''}`, { key: isPlain ? null : key, after });
}
