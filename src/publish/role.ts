/**
 * The role of a step in a publication. The steps of a plan are in this order: what a document lists is stored before it,
 * and an app is listed with its first version. The last ones are not in the store, but in the folder of the
 * workspace: its lock file, and the description of an app.
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
  'description',
] as const;
export type Role = (typeof ROLES)[number];

/** True for a file in the folder of the workspace, even if the registry is in a store elsewhere. */
export function isOfWorkspace(role: Role | undefined): boolean {
  return role === 'workspace-lock' || role === 'description';
}

/** The steps in the order of their roles. */
export function inOrderOfRoles<AnyStep extends { role?: Role }>(steps: readonly AnyStep[]): AnyStep[] {
  return ROLES.flatMap((role) => steps.filter((step) => step.role === role));
}
