/** The four kinds of resource in a registry (spec 4.1). */
export type ResourceKind = 'manifest' | 'metadata' | 'artifact' | 'icon';

/** The kinds as messages name them, in the singular and the plural. */
export const RESOURCE_NAMES: Record<ResourceKind, { one: string; several: string }> = {
  manifest: { one: 'manifest', several: 'manifests' },
  metadata: { one: 'metadata file', several: 'metadata files' },
  artifact: { one: 'artifact', several: 'artifacts' },
  icon: { one: 'icon', several: 'icons' },
};

/** A kind as messages name it: `metadata file`. */
export function resourceName(kind: ResourceKind): string {
  return RESOURCE_NAMES[kind].one;
}
