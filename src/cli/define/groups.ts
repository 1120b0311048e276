/** A group of commands in the help, in completion and in docs/commands.md. */
export interface CommandGroup {
  /** Its first word names it: `appreg help other`. */
  title: string;
  /** A sentence about its commands, on one line of the help. */
  purpose: string;
}

/** The groups of commands, in the order of the help. */
export const GROUPS = {
  everyday: {
    title: 'Everyday',
    purpose: 'Create a registry, publish apps, and check what subscribers receive.',
  },
  editing: {
    title: 'Editing',
    purpose: 'Change what the registry says about its apps and versions.',
  },
  repositories: {
    title: 'Repositories and hosts',
    purpose: 'Compare, protect, copy and present what a registry publishes.',
  },
  evidence: {
    title: 'Evidence',
    purpose: 'Check what an artifact is, who built it, and what a registry served.',
  },
  other: {
    title: 'Other tools',
    purpose: 'Explain rules, decide what subscribers are offered, and run and test services.',
  },
} as const satisfies Record<string, CommandGroup>;

export type GroupName = keyof typeof GROUPS;

/** All names of groups, in the order of the help. */
export const GROUP_NAMES = Object.keys(GROUPS) as readonly GroupName[];
