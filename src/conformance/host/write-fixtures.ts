import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppregError } from '../../core/errors.ts';
import { message } from '../../core/text/message.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { fixtureFiles } from './fixtures.ts';

/**
 * Writes the tree that is uploaded to a host under test. A folder with the same tree stays as it is.
 * @param folder is created if it is missing
 * @returns the paths of the files, with forward slashes
 * @throws AppregError `folder-not-empty` (exit 2) if the folder contains something else
 */
export async function writeFixtures(folder: string): Promise<string[]> {
  const files = fixtureFiles();
  for (const path of await filesIn(folder)) {
    const expected = files.get(path);
    if (expected !== undefined && expected.equals(await readFile(join(folder, path)))) continue;
    throw new AppregError(
      'folder-not-empty',
      message`${folder} contains other files, such as “${path}”.`,
      message`Give a new or empty folder: everything in it is uploaded to the host.`,
    );
  }
  for (const [path, bytes] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  return [...files.keys()];
}

/** The paths of all entries but folders, sorted; none for a missing folder. */
async function filesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length).replaceAll('\\', '/'))
      .toSorted();
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
