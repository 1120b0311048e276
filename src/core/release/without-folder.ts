/** Listed apps without a folder in the repository: removed, renamed, or of another repository. */

export interface AppWithoutFolder {
  key: string;
  /** The highest listed version; null if it has none, or its versions are not known. */
  listed: string | null;
  /** Its folder in the state of --against; null if it had none there, or if that is not known. With it, the check fails. */
  formerFolder: string | null;
  /** The app with the renamed folder; null if none is known. */
  renamedTo: string | null;
  /** The consequence for subscribers. */
  message: string;
  /** The next step. */
  advice: string;
}

/** The app with the renamed folder. */
export interface RenamedApp {
  key: string;
  /** Relative to the configuration. */
  folder: string;
  declared: string | null;
}

/**
 * Describes an app without a folder.
 * @param found.renamed null if no folder is known to be the renamed one
 */
export function withoutFolder(found: {
  key: string;
  listed: string | null;
  formerFolder: string | null;
  renamed: RenamedApp | null;
}): AppWithoutFolder {
  const { key, listed, formerFolder, renamed } = found;
  const app = { key, listed, formerFolder, renamedTo: renamed?.key ?? null };
  const stays = `${key} stays listed${listed === null ? '' : ` with ${listed}`}, and gets no further versions`;
  if (renamed !== null) {
    const now = `${renamed.key}${renamed.declared === null ? '' : ` ${renamed.declared}`}`;
    return {
      ...app,
      message: `${key} → ${renamed.key}: the folder of an app is its key, so ${now} is another app, which no subscriber has installed; ${stays}.`,
      advice: `Give ${renamed.folder} its former name${formerFolder === null ? '' : `, ${formerFolder}`}. To replace ${key} for all subscribers, release ${renamed.key}; then appreg remove-app ${key}`,
    };
  }
  if (formerFolder === null)
    return {
      ...app,
      message: `The repository has no folder for ${key}; ${stays} from here.`,
      advice: `No action is required if it is published from elsewhere. To remove it for all subscribers: appreg remove-app ${key}`,
    };
  return {
    ...app,
    message: `The folder ${formerFolder} was removed; ${stays}.`,
    advice: `Restore the folder; or remove the app for all subscribers first: appreg remove-app ${key}`,
  };
}

/** True if the folder was removed or renamed since the state of --against. */
export function isFolderLost({ formerFolder }: AppWithoutFolder): boolean {
  return formerFolder !== null;
}
