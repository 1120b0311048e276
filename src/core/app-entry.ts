import { shorten } from './text.ts';

/** The file that the app's code begins in, at the top of an artifact. */
export const APP_ENTRY = 'app.js';

/** Why an archive has no app, and what to do about it. */
export interface NoApp {
  cause: 'in-folder' | 'other-case' | 'not-built' | 'absent';
  /** Behind "The artifact". */
  message: string;
  advice: string;
  /** The entry that was probably meant, or null. */
  found: string | null;
}

const PACK = 'Build the artifact with "appreg bundle", or put the built code there.';

/**
 * Looks for the app's code among the files of an archive. Null where it is there.
 * @param paths of regular files and links, as they stand in the archive
 * @param entry the path that is looked for, such as `app.js`
 */
export function noAppIn(paths: readonly string[], entry: string): NoApp | null {
  const names = paths.map((path) => path.replace(/^(\.\/+)+/, ''));
  const wanted = entry.replace(/^(\.\/+)+/, '');
  if (names.includes(wanted)) return null;
  const message = `has no ${wanted} at its top`;
  const below = names.find((name) => name.endsWith(`/${wanted}`));
  if (below !== undefined) {
    const folder = shorten(below.slice(0, -wanted.length), 100);
    const advice = `Pack what is in the folder, not the folder: tar -czf <file>.tar.gz -C <folder> .`;
    return {
      cause: 'in-folder',
      message: `${message}: it is in the folder ${JSON.stringify(folder)}`,
      advice,
      found: below,
    };
  }
  const otherCase = names.find((name) => name.toLowerCase() === wanted.toLowerCase());
  if (otherCase !== undefined) {
    const advice = `Name the file ${wanted}: the case of letters counts.`;
    return { cause: 'other-case', message: `${message}, but ${JSON.stringify(otherCase)}`, advice, found: otherCase };
  }
  const stem = wanted.replace(/\.[^./]+$/, '');
  const source = names.find(
    (name) => /^\.([cm]?tsx?|jsx|mjs|cjs)$/.test(name.slice(stem.length)) && name.startsWith(stem),
  );
  if (source !== undefined)
    return { cause: 'not-built', message: `${message}, but ${JSON.stringify(source)}`, advice: PACK, found: source };
  return { cause: 'absent', message, advice: PACK, found: null };
}
