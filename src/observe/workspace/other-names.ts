import { foldName, listedPath, type Names, namesOf } from '../../core/registry/file-names.ts';
import { type WalkResult, isUnwalked } from './walk.ts';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../../platform/system-error.ts';

/** Up to this number of files all names are compared at once; above it, the folder of each missing file is listed. */
const COMPARE_ALL_UP_TO = 200_000;

/** Which files of a workspace are listed under another name than their URL's. */
export interface OtherNames {
  /** The result of `walk`; before that, and if there are symbolic links, folders are listed one by one. */
  use(tree: WalkResult): void;
  /** The path as listed, if it differs from `path` only in case or Unicode normalization; otherwise null. */
  listedAs(path: string): string | null;
  /** True if there is a folder of this name (with its trailing slash), ignoring case and normalization. */
  hasFolder(folder: string): boolean;
}

/** Creates a comparison for one workspace. */
export function openOtherNames(root: string, listing = openListing(root)): OtherNames {
  let tree: WalkResult | null = null;
  let files: FoldedNames | null = null;
  let folders: FoldedNames | null = null;

  function listed(path: string): string | null {
    const found = listedPath(path, listing);
    return found === path ? null : found;
  }

  return {
    use(found) {
      tree = found.links ? null : found;
    },
    listedAs(path) {
      if (tree === null || isUnwalked(path)) return listed(path);
      if (tree.files.has(path)) return null;
      if (tree.files.size > COMPARE_ALL_UP_TO) return listed(path);
      files ??= foldedNames(tree.files);
      return files.find(path);
    },
    hasFolder(folder) {
      if (tree === null) return listedPath(folder.slice(0, -1), listing) !== null;
      if (tree.areFoldersFolded) return tree.folders.has(foldName(folder));
      folders ??= foldedNames(tree.folders);
      return folders.find(folder) !== null;
    },
  };
}

interface FoldedNames {
  /** The name that is listed, if it is equal to this one by `foldName`; otherwise null. */
  find(name: string): string | null;
}

/** @param listed most of them are equal to their folded form, and need not be kept again */
function foldedNames(listed: ReadonlySet<string>): FoldedNames {
  const others = new Map<string, string>();
  for (const name of listed) {
    const folded = foldName(name);
    if (folded !== name) others.set(folded, name);
  }
  return {
    find(name) {
      const folded = foldName(name);
      return others.get(folded) ?? (listed.has(folded) ? folded : null);
    },
  };
}

/** The names in a folder ('' or a path with a trailing slash); null if the folder does not exist. */
type Listing = (folder: string) => Names | null;

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
