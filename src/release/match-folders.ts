import { message } from '../core/text/message.ts';
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppregError } from '../core/errors.ts';

/**
 * The folders that match a glob, sorted, relative to the root, with forward slashes and without a trailing one. A link
 * matches as a folder, but is not searched.
 * @throws AppregError `release-folder-missing` (exit 2) without a match
 */
export async function foldersOf(root: string, glob: string): Promise<string[]> {
  const { escapePath, globSync } = await import('tinyglobby');
  // An existing name is taken literally, even if it contains brackets.
  const literal = statSync(join(root, glob), { throwIfNoEntry: false })?.isDirectory() ?? false;
  const matches = globSync(literal ? escapePath(glob) : glob, {
    cwd: root,
    onlyDirectories: true,
    expandDirectories: false,
    ignore: glob.includes('node_modules') ? [] : ['**/node_modules/**'],
    // The package lists no links, or searches them.
    fs: { readdirSync: linksAsFolders() as unknown as typeof readdirSync },
  });
  const folders = matches.map((match) => match.replace(/\/+$/, '').replace(/^\.\//, '') || '.');
  if (folders.length > 0) return folders.toSorted();
  throw new AppregError(
    'release-folder-missing',
    message`The folder ${JSON.stringify(glob)} in "release" matches no folder in ${root}.`,
    message`Correct the glob, or remove the item. The glob is relative to the configuration, and separates folders with /.`,
  );
}

/** Lists a folder; a link to a folder, or to nothing, looks like an empty folder. */
function linksAsFolders(): (folder: string) => Dirent[] {
  const links = new Set<string>();
  return (folder) => {
    const at = resolve(folder);
    if (links.has(at)) return [];
    return readdirSync(at, { withFileTypes: true }).map((entry) => {
      const path = join(at, entry.name);
      if (!entry.isSymbolicLink() || statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) return entry;
      links.add(path);
      const asFolder = { isDirectory: () => true, isSymbolicLink: () => false };
      const shown: Dirent = Object.assign(Object.create(entry), { name: entry.name }, asFolder);
      return shown;
    });
  };
}
