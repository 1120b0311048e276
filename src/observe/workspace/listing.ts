import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Names, namesOf } from '../../core/registry/file-names.ts';
import { systemErrorCode } from '../../platform/system-error.ts';

/** The names in a folder ('' or a path with a trailing slash); null if the folder does not exist. */
export type Listing = (folder: string) => Names | null;

/** Number of folders whose names are cached; with many apps, each has its own, which is not needed again. */
const MAX_CACHED_FOLDERS = 1000;

/**
 * The names in the folders below a root, as the file system lists them; each folder is read once.
 * @param list the names in a folder; throws if it cannot be read
 */
export function openListing(root: string, list: (folder: string) => readonly string[] = readNames): Listing {
  const known = new Map<string, Names | null>();
  return (folder) => {
    const found = known.get(folder);
    if (found !== undefined) return found;
    const names = tryNames(() => list(join(root, folder)));
    if (known.size >= MAX_CACHED_FOLDERS) known.clear();
    known.set(folder, names);
    return names;
  };
}

function readNames(folder: string): string[] {
  return readdirSync(folder);
}

/** Null if the folder does not exist or cannot be listed: its files are then read without a comparison. */
function tryNames(list: () => readonly string[]): Names | null {
  try {
    return namesOf(list());
  } catch (error) {
    if (systemErrorCode(error) === null) throw error;
    return null;
  }
}
