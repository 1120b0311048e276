/** The pages of a registry. */
export const REGISTRY_TABS = ['apps', 'health', 'history', 'settings'] as const;
export type RegistryTab = (typeof REGISTRY_TABS)[number];

/** @param id of the subscription */
export function registryPath(id: string, tab: RegistryTab = 'apps'): string {
  return `settings/registries/${id}${tab === 'apps' ? '' : `/${tab}`}`;
}
