import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { APP_DESCRIPTION } from '../core/release/app-description.ts';
import { isHttpUrl } from '../core/url/url.ts';
import { localPathOf } from '../observe/baseline/local-path.ts';
import { openGitBase } from '../observe/workspace/git.ts';
import { DEFAULT_VERSION_FILE, keyOf, type ReleaseEntry } from './find-apps.ts';
import { filesAsFolders, matchingFolders } from './folders.ts';

/** The folders of apps in the state that `against` names. */
export interface FormerFolders {
  /** By app key, relative to the configuration. */
  folders: ReadonlyMap<string, string>;
  /** True if git detects that a file was renamed. Paths are relative to the configuration. */
  isRenamed(from: string, to: string): boolean;
}

/** The files of an earlier state of the repository. */
interface FormerFiles extends Pick<FormerFolders, 'isRenamed'> {
  matching(glob: string): Promise<string[]>;
  has(path: string): boolean;
}

/**
 * Finds the folders of apps in an earlier state of the repository, by the present configuration. A folder with published
 * files alone is none.
 * @returns null for a state without sources, such as a live registry
 */
export async function formerFolders(
  against: string,
  { root, cwd }: { root: string; cwd: string },
  entries: readonly ReleaseEntry[],
): Promise<FormerFolders | null> {
  if (isHttpUrl(against)) return null;
  const local = localPathOf(against, cwd);
  const files = local === null ? filesAtRef(against, root) : filesIn(local.isFolder ? local.path : dirname(local.path));
  const folders = new Map<string, string>();
  for (const entry of entries)
    for (const folder of await files.matching(entry.folder)) {
      const sources = [APP_DESCRIPTION, entry.entry ?? APP_DESCRIPTION, entry.version ?? DEFAULT_VERSION_FILE];
      const key = keyOf(entry.key, root, folder);
      if (!folders.has(key) && sources.some((file) => files.has(`${folder}/${file}`))) folders.set(key, folder);
    }
  for (const folder of await files.matching('apps/*')) {
    const key = keyOf(undefined, root, folder);
    if (!folders.has(key) && files.has(`${folder}/${APP_DESCRIPTION}`)) folders.set(key, folder);
  }
  return { folders, isRenamed: files.isRenamed };
}

function filesIn(folder: string): FormerFiles {
  return {
    matching: (glob) => matchingFolders(folder, glob),
    has: (path) => existsSync(join(folder, path)),
    isRenamed: () => false,
  };
}

function filesAtRef(ref: string, root: string): FormerFiles {
  const base = openGitBase(ref, root);
  const { prefix } = base;
  const files = base.files().flatMap((path) => (path.startsWith(prefix) ? path.slice(prefix.length) : []));
  const known = new Set(files);
  return {
    matching: (glob) => matchingFolders(root, glob, filesAsFolders(root, files)),
    has: (path) => known.has(path),
    isRenamed: (from, to) => base.renamedFrom(`${prefix}${to}`) === `${prefix}${from}`,
  };
}
