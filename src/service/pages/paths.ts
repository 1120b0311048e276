/** The paths of pages. */

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

/** The pages of a registry. */
export const REGISTRY_TABS = ['apps', 'health', 'history', 'settings'] as const;
export type RegistryTab = (typeof REGISTRY_TABS)[number];

/** @param id of the subscription */
export function registryPath(id: string, tab: RegistryTab = 'apps'): string {
  return `settings/registries/${id}${tab === 'apps' ? '' : `/${tab}`}`;
}

/** A path with the parameters of its query that are not null. */
export function pathWithQuery(path: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.append(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
