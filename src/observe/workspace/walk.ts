import { readdirSync } from 'node:fs';

/** The contents of a folder. */
export interface WalkResult {
  files: Set<string>;
  /** True if there are symbolic links. */
  links: boolean;
  /** Every folder, with its trailing slash; '' is the root. */
  folders: Set<string>;
  /** True if each name of a folder is equal to its folded form (`foldName`). */
  areFoldersFolded: boolean;
}

/** The names that every file system compares alike. */
const FOLDED = /^[ -@[-~]*$/;

const UNWALKED = /(^|\/)(\.|node_modules\/)/;

/** True for paths that `walk` skips. */
export function isUnwalked(path: string): boolean {
  // Most paths contain none of these, which is found faster than that the expression does not match.
  return (path.startsWith('.') || path.includes('/.') || path.includes('node_modules/')) && UNWALKED.test(path);
}

/** Walks a folder, skipping hidden and installed folders. */
export function walk(root: string): WalkResult {
  const files = new Set<string>();
  let links = false;
  let areFoldersFolded = true;
  const folders = [''];
  const seen = new Set(['']);
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // Not by `join`, which takes as long as the system needs to list the folder.
    for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
      const { name } = entry;
      if (name.startsWith('.') || name === 'node_modules') continue;
      if (entry.isDirectory()) {
        folders.push(`${folder}${name}/`);
        seen.add(`${folder}${name}/`);
        areFoldersFolded &&= FOLDED.test(name);
      } else if (entry.isSymbolicLink()) links = true;
      else files.add(folder + name);
    }
  }
  return { files, links, folders: seen, areFoldersFolded };
}
