import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { homeFolder } from './home-folder.ts';

/**
 * The folders of this machine that code built here may name: the working folder, that of the user, and that for
 * temporary files; also as they are without symbolic links.
 * @param cwd absolute
 */
export function buildFolders(cwd: string): string[] {
  const folders = [cwd, homeFolder() ?? cwd, tmpdir()];
  return [...new Set(folders.flatMap((folder) => [folder, realPath(folder)]))];
}

/** A folder that does not exist is its own real path. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
