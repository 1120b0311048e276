import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Names, namesOf } from '../../core/registry/file-names.ts';

/** The names in a folder ('' or a path with a trailing slash); null where there is no such folder. */
export type Listing = (folder: string) => Names | null;

/** Folders whose names are kept; of many apps each has one of its own, which is not needed again. */
const KEPT = 1000;

/**
 * The names in the folders below a root, as the file system lists them; each folder is read once.
 * @param list the names in a folder; throws where it cannot be read
 */
export function openListing(root: string, list: (folder: string) => readonly string[] = readNames): Listing {
  const known = new Map<string, Names | null>();
  return (folder) => {
    const found = known.get(folder);
    if (found !== undefined) return found;
    const names = tryNames(() => list(join(root, folder)));
    if (known.size >= KEPT) known.clear();
    known.set(folder, names);
    return names;
  };
}

function readNames(folder: string): string[] {
  return readdirSync(folder);
}

/** Null where there is no such folder, or where it cannot be listed: its files are read without a comparison then. */
function tryNames(list: () => readonly string[]): Names | null {
  try {
    return namesOf(list());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return null;
  }
}
