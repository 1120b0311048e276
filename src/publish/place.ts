/**
 * Where a step of a publication comes: what a document lists is stored before it, and an app is listed with its first
 * version. The lock file of the workspace records what is published, in a folder of its own.
 */
export const PLACES = [
  'artifact',
  'companion',
  'icon',
  'notes',
  'metadata',
  'manifest',
  'lock',
  'workspace-lock',
] as const;
export type Place = (typeof PLACES)[number];

/** The steps in the order of their places. */
export function inPlaces<AnyStep extends { place?: Place }>(steps: readonly AnyStep[]): AnyStep[] {
  return PLACES.flatMap((place) => steps.filter((step) => step.place === place));
}
