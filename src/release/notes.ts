import { join } from 'node:path';
import { sectionOf } from '../core/about/changelog.ts';
import { readRegularFile } from '../platform/regular-file.ts';

/** The changelog in the folder of an app, from which its release notes are taken. */
const CHANGELOG = 'CHANGELOG.md';

/**
 * The release notes of a version: its section in the changelog of the app.
 * @param folder of the app, absolute
 * @returns null without a changelog, and for a version that it does not have
 */
export function notesFrom(folder: string): (version: string) => string | null {
  return (version) => {
    const read = readRegularFile(join(folder, CHANGELOG));
    return 'bytes' in read ? sectionOf(read.bytes.toString('utf8'), version) : null;
  };
}
