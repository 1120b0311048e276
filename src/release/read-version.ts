import { message } from '../core/text/message.ts';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { type AppProblem, type DeclaredVersion, declaredVersion } from '../core/release/version-file.ts';
import { isWithin } from '../observe/workspace/places.ts';
import { unlikeRegularFile, whyUnreadable } from '../platform/regular-file.ts';
import { type FoundApp, shownIn } from './find-apps.ts';

const MAX_BYTES = 1_000_000;

/** The version that an app declares. */
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
