import { type SafeText, message, safe } from '../text/message.ts';
import { shorten } from '../text/text.ts';

/** The entry file of the app's code, at the top level of an artifact. */
export const APP_ENTRY = 'app.js';

/** The reason why an archive does not contain an app, and the correction. */
export interface NoApp {
  cause: 'in-folder' | 'other-case' | 'not-built' | 'dangling-link' | 'absent';
  /** Follows "The artifact". */
  message: SafeText;
  advice: SafeText;
  /** The entry that was probably meant, or null. */
  found: string | null;
}

const PACK = message`Build the artifact with "appreg bundle", or add the built code.`;

/** A regular file of an archive, or a link. */
export interface PackedFile {
  path: string;
  /**
   * The target of a link: relative to its folder for a symbolic one, to the top level for a hard one; absent or null
   * for a file.
   */
  link?: string | null;
  type?: string;
}

/**
 * Searches for the app's code among the files of an archive. Null if it is there.
 * @param entry the expected path, such as `app.js`
 */
export function noAppIn(files: readonly PackedFile[], entry: string): NoApp | null {
  const names = files.map(({ path }) => fromTop(path));
  const wanted = fromTop(entry);
  const summary = message`has no ${wanted} at its top level`;
  const link = danglingFrom(wanted, files, names);
  if (link === null) return null;
  if (names.includes(wanted))
    return {
      cause: 'dangling-link',
      message: message`${safe(summary)}, only a link to ${JSON.stringify(shorten(link, 100))}, which is not a file of the archive`,
      advice: message`Pack the target of the link (tar --dereference), or build the artifact with "appreg bundle".`,
      found: wanted,
    };
  const below = names.find((name) => name.endsWith(`/${wanted}`));
  if (below !== undefined) {
    const folder = shorten(below.slice(0, -wanted.length), 100);
    const advice = message`Pack the contents of the folder, not the folder itself: tar -czf <file>.tar.gz -C <folder> .`;
    return {
      cause: 'in-folder',
      message: message`${safe(summary)}: it is in the folder ${JSON.stringify(folder)}`,
      advice,
      found: below,
    };
  }
  const otherCase = names.find((name) => name.toLowerCase() === wanted.toLowerCase());
  if (otherCase !== undefined) {
    const advice = message`Name the file ${wanted}: names are case-sensitive.`;
    return {
      cause: 'other-case',
      message: message`${safe(summary)}, but ${JSON.stringify(otherCase)}`,
      advice,
      found: otherCase,
    };
  }
  const stem = wanted.replace(/\.[^./]+$/, '');
  const source = names.find(
    (name) => /^\.([cm]?tsx?|jsx|mjs|cjs)$/.test(name.slice(stem.length)) && name.startsWith(stem),
  );
  if (source !== undefined)
    return {
      cause: 'not-built',
      message: message`${safe(summary)}, but ${JSON.stringify(source)}`,
      advice: PACK,
      found: source,
    };
  return { cause: 'absent', message: summary, advice: PACK, found: null };
}

function fromTop(path: string): string {
  return path.replace(/^(\.\/+)+/, '');
}

/**
 * Follows links from a name.
 * @returns the path that is not in the archive; null if a file is found
 */
function danglingFrom(wanted: string, files: readonly PackedFile[], names: readonly string[]): string | null {
  let name = wanted;
  // A cycle of links leads to no file.
  for (let steps = 0; steps <= files.length; steps += 1) {
    const file = files[names.lastIndexOf(name)];
    if (file === undefined) return name;
    if (file.link === undefined || file.link === null) return null;
    const from = file.type === 'symlink' ? name.slice(0, name.lastIndexOf('/') + 1) : '';
    name = resolved(from, file.link);
  }
  return name;
}

/** A path from the top level of the archive; one that leaves it keeps its beginning, and matches no file. */
function resolved(from: string, target: string): string {
  if (target.startsWith('/')) return target;
  const parts: string[] = [];
  for (const part of `${from}${target}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}
