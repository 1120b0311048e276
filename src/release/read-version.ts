import { message } from '../core/text/message.ts';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { relative, sep, join } from 'node:path';
import { documentContent } from '../core/json/json.ts';
import { type AppProblem, type DeclaredVersion, declaredVersion } from '../core/release/version-file.ts';
import { isWithin } from '../observe/workspace/places.ts';
import { unlikeRegularFile, whyUnreadable, readRegularFile } from '../platform/regular-file.ts';
import { type FoundApp, shownIn } from './find-apps.ts';
import { sectionOf } from '../core/about/changelog.ts';
import type { NotesOf } from '../publish/parts/about.ts';

const MAX_BYTES = 1_000_000;

export function readVersion(app: FoundApp): DeclaredVersion | AppProblem {
  const { folder, path, versionFile } = app;
  const shown = shownIn(folder, relative(path, versionFile).split(sep).join('/'));
  try {
    const stats = statSync(versionFile, { throwIfNoEntry: false });
    if (stats === undefined)
      return {
        message: message`The version file ${shown} does not exist.`,
        advice: message`Create it with one version, such as 1.0.0, or correct "version" in the configuration.`,
      };
    const isRegular = stats.isFile();
    if (!isRegular || stats.size > MAX_BYTES)
      return {
        message: message`${shown} ${isRegular ? 'is larger than 1 MB' : unlikeRegularFile(stats)}.`,
        advice: message`Use a small file with one version.`,
      };
    if (!isWithin(path, realpathSync(versionFile)))
      return {
        message: message`${shown} is a link to a file outside of the app’s folder.`,
        advice: message`Replace the link with the file.`,
      };
    return declaredVersion(shown, readFileSync(versionFile));
  } catch (error) {
    const why = whyUnreadable(versionFile, error);
    if (why === null) throw error;
    return { message: message`${shown} ${why}.`, advice: message`Check the path and its permissions.` };
  }
}

/** The changelog in the folder of an app, from which its release notes are taken. */
const CHANGELOG = 'CHANGELOG.md';

/**
 * The release notes of a version: its section in the changelog of the app.
 * @returns the function returns null without a changelog, and for a version that it does not have
 */
export function readNotes({ folder, path }: FoundApp): NotesOf | AppProblem {
  const read = readRegularFile(join(path, CHANGELOG));
  if (!('bytes' in read) && read.code === 'ENOENT') return () => null;
  const text = 'bytes' in read ? documentContent(read.bytes).text : null;
  if (text !== null) return (version) => sectionOf(text, version);
  return {
    message: message`${shownIn(folder, CHANGELOG)} ${'bytes' in read ? 'is not UTF-8' : read.failure}.`,
    advice: message`The release notes are taken from it. Correct it, or delete it to publish without notes.`,
  };
}
