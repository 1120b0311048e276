import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The contents of a folder. */
export interface WalkResult {
  /** Every file. */
  files: Set<string>;
  /** Whether there are symbolic links. */
  links: boolean;
  /** Every folder, with its trailing slash; '' is the root. */
  folders: Set<string>;
}

/** Paths that `walk` skips. */
export const UNWALKED = /(^|\/)(\.|node_modules\/)/;

/** Walks a folder, skipping hidden and installed folders. */
export function walk(root: string): WalkResult {
  const files = new Set<string>();
  let links = false;
  const folders = [''];
  const seen = new Set(['']);
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const { name } = entry;
      if (name.startsWith('.') || name === 'node_modules') continue;
      if (entry.isDirectory()) {
        folders.push(`${folder}${name}/`);
        seen.add(`${folder}${name}/`);
      } else if (entry.isSymbolicLink()) links = true;
      else files.add(folder + name);
    }
  }
  return { files, links, folders: seen };
}
