import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest folder with a repository or a work tree of git, from `path` upwards; null if there is none. */
export function gitRoot(path: string): string | null {
  if (existsSync(join(path, '.git'))) return path;
  const parent = dirname(path);
  return parent === path ? null : gitRoot(parent);
}
