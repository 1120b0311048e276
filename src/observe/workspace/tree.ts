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
  return {
    source,
    fetch() {},
    read(path) {
      if (otherNameOnDisk(folder, path.split('/')) !== null) return null;
      const found = readDocumentFile(join(folder, path));
      return typeof found === 'string' ? null : found;
    },
  };
}
