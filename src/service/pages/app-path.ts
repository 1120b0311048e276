/** Keys that a path may contain as they are: not empty, and without dot segments. */
const PLAIN_KEY = /^[\w-][\w.~-]*$/;

/** The page of an app. A key may be any text, including one that would change the path: then it is in the query. */
export function appPath(subscriptionId: string, key: string): string {
  return PLAIN_KEY.test(key)
    ? `apps/${subscriptionId}/${key}`
    : `apps/${subscriptionId}?key=${encodeURIComponent(key)}`;
}
