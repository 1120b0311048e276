/** Choices for option values, shared by the options and shell completion. Imports nothing. */

export const STORES = ['directory', 'git', 's3'] as const;
export const HOSTS = ['r2', 's3', 'gcs', 'github-pages', 'cloudflare-pages', 'netlify', 'nginx'] as const;
export const CI_SYSTEMS = ['github', 'gitlab', 'none'] as const;
export const LEVELS = ['off', 'note', 'warning', 'error'] as const;
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
