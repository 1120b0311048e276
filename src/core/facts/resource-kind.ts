/** The four kinds of resource in a registry (spec 4.1). */
export type ResourceKind = 'manifest' | 'metadata' | 'artifact' | 'icon';
