/** Choices for option values, shared by options, checks and shell completion. Imports nothing. */

export type Choices = readonly string[];

export const STORES = ['directory', 'git', 's3'] as const;
export const HOSTS = ['r2', 's3', 'gcs', 'github-pages', 'cloudflare-pages', 'netlify', 'nginx'] as const;
export const CI_SYSTEMS = ['github', 'gitlab', 'none'] as const;
export const ATTESTATION_MODES = ['off', 'report', 'require'] as const;
export const LEVELS = ['off', 'note', 'warning', 'error'] as const;
/** Subjects of rules (`Rule.on`), in the order of the documentation. */
export const RULE_GROUP_NAMES = [
  'document',
  'manifest',
  'app',
  'url',
  'metadata',
  'version',
  'resource',
  'artifact',
  'attestation',
  'about',
  'icon',
  'local-file',
  'file',
  'workspace',
  'host',
  'deployment',
  'subscription',
  'exception',
] as const;
/** Reasons for the retirement of a version (core/about/about-document.ts). */
export const RETIREMENT_REASONS = ['security', 'broken', 'superseded', 'unmaintained', 'legal'] as const;
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** Abilities that a subscriber may lack: to use the clock of a case, and to show the highest version of an app. */
export const ABILITIES = ['clock', 'latest'] as const;
export const ROLES = ['web', 'worker'] as const;
/** The implementations that the conformance kit tests. */
export const CONFORMANCE_ROLES = ['documents', 'host', 'subscriber'] as const;

export function isOneOf<Choice extends string>(choices: readonly Choice[], text: string): text is Choice {
  return choices.some((choice) => choice === text);
}
