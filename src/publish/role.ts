/**
 * The role of a step in a publication. The steps of a plan are in this order: what a document lists is stored before it,
 * and an app is listed with its first version. The lock file of the workspace records what is published, in a folder of
 * its own.
 */
export const ROLES = [
  'artifact',
  'companion',
  'icon',
  'notes',
  'metadata',
  'manifest',
  'lock',
  'workspace-lock',
] as const;
export type Role = (typeof ROLES)[number];

/** The steps in the order of their roles. */
export function inOrderOfRoles<AnyStep extends { role?: Role }>(steps: readonly AnyStep[]): AnyStep[] {
  return ROLES.flatMap((role) => steps.filter((step) => step.role === role));
}
