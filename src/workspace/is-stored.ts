import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** For a workspace with a store other than its folder: true if the folder has no manifest because it is in the store. */
export function isStored(root: string, folder: string, manifest: string): boolean {
  return folder === root && !existsSync(join(folder, manifest));
}
