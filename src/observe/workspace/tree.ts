import { join } from 'node:path';
import type { DocumentContent } from '../../core/facts/facts.ts';
import { otherNameOnDisk } from '../../platform/names.ts';
import { readDocumentFile } from './documents.ts';

/** The files of a baseline, by their path below the workspace. */
export interface Tree {
  /** As the user named it. */
  source: string;
  /** Declares which files will be read, so that they can be loaded in one batch. */
  fetch(paths: readonly string[]): void;
  /** A file's content; null if it is missing. */
  read(path: string): DocumentContent | null;
}

/** The files of a folder as a baseline. */
export function folderTree(folder: string, source: string): Tree {
  // The folders of a path are the same for many files.
  const folders = new Map<string, boolean>([['', true]]);
  const isListed = (path: string): boolean => {
    const end = path.lastIndexOf('/');
    const parent = path.slice(0, Math.max(end, 0));
    const isParentListed = folders.get(parent) ?? isListed(parent);
    folders.set(parent, isParentListed);
    return isParentListed && otherNameOnDisk(join(folder, parent), [path.slice(end + 1)]) === null;
  };
  return {
    source,
    fetch() {},
    read(path) {
      if (!isListed(path)) return null;
      const found = readDocumentFile(join(folder, path));
      return typeof found === 'string' ? null : found;
    },
  };
}
