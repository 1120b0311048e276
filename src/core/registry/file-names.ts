import { normalized } from '../text/normalized.ts';

/**
 * File names as a folder lists them. File systems of Windows and macOS find `Icon.SVG` under the name `icon.svg`, and
 * macOS finds a name in any Unicode normalization form; hosts that serve the same files do not. So names are compared
 * with the listing, character for character.
 */

/** The names in one folder. */
export interface Names {
  has(name: string): boolean;
  /** The listed names that differ from `name` in case or Unicode normalization only. */
  like(name: string): readonly string[];
}

/** @param list the names as the file system lists them */
export function namesOf(list: readonly string[]): Names {
  const exact = new Set(list);
  let folded: Map<string, string[]> | null = null;
  return {
    has: (name) => exact.has(name),
    like(name) {
      folded ??= foldedNames(exact);
      return (folded.get(foldName(name)) ?? []).filter((listed) => listed !== name);
    },
  };
}

function foldedNames(names: Iterable<string>): Map<string, string[]> {
  const folded = new Map<string, string[]>();
  for (const name of names) {
    const key = foldName(name);
    const list = folded.get(key);
    if (list) list.push(name);
    else folded.set(key, [name]);
  }
  return folded;
}

/** Equal for all names that some file system treats as the same. */
export function foldName(name: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(name)) return name.toLowerCase();
  return normalized(normalized(name, 'NFC').toUpperCase().toLowerCase(), 'NFC');
}

/**
 * The path as the folders list it: `path` itself if each of its names is listed, another spelling if only that is
 * listed, null if neither is.
 * @param path relative, with forward slashes
 * @param namesIn the names in a folder ('' or a path with a trailing slash); null if the folder does not exist
 */
export function listedPath(path: string, namesIn: (folder: string) => Names | null): string | null {
  return find('', path.split('/'), namesIn);
}

function find(
  folder: string,
  [name, ...rest]: readonly string[],
  namesIn: (folder: string) => Names | null,
): string | null {
  const names = namesIn(folder);
  if (names === null || name === undefined) return null;
  const below = (listed: string): string | null =>
    rest.length === 0 ? folder + listed : find(`${folder}${listed}/`, rest, namesIn);
  // The exact name first: on a case-sensitive file system both may exist.
  const exact = names.has(name) ? below(name) : null;
  if (exact !== null) return exact;
  for (const listed of names.like(name)) {
    const found = below(listed);
    if (found !== null) return found;
  }
  return null;
}

/** Differences between two spellings of a name. */
export type NameDifference = 'case' | 'normalization' | 'case-and-normalization';

/**
 * Finds the difference of a name from the listed one, if file systems that ignore case and normalization compare them
 * as equal.
 */
export function nameDifference(name: string, listed: string): NameDifference {
  if (normalized(name, 'NFC') === normalized(listed, 'NFC')) return 'normalization';
  return name.toUpperCase().toLowerCase() === listed.toUpperCase().toLowerCase() ? 'case' : 'case-and-normalization';
}

/**
 * The same name with its ASCII letters in the other case: if a file is found under it too, the file system is
 * case-insensitive. Null for a name that is inconclusive: without an ASCII letter, with a letter beyond ASCII, or with
 * a tilde, which may be a short name of Windows.
 */
export function inOtherCase(name: string): string | null {
  if (!/^[\u0020-\u007d]*$/.test(name) || !/[a-z]/i.test(name)) return null;
  return name.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
}

/** The folder of the artifacts that belong to a metadata file: those of apps/a/versions.json are in apps/a/versions/. */
export function artifactFolder(metadataPath: string): string {
  const stem = metadataPath.replace(/\.[^./]+$/, '');
  return `${stem === metadataPath ? `${stem}-artifacts` : stem}/`;
}
