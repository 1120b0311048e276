/** Absolute paths of the machine that built the code. */

export interface BuildPath {
  folder: string;
  from: number;
}

/** A folder of this machine, and how code contains a path below it. */
export interface OwnFolder {
  folder: string;
  /** Its last segment: a text without it contains no path below the folder. */
  name: string;
  pattern: RegExp;
}

/** Two levels below the root, at least: other texts contain `/tmp/` or `/root/` by chance. */
const DISTINCTIVE = /^(?:\/[^/]+\/[^/]+|[A-Za-z]:[\\/][^\\/]+[\\/][^\\/]+)/;
const MIN_LENGTH = 8;
/** A backslash is escaped in a string, and twice in the string of a map. */
const WINDOWS_SEPARATOR = String.raw`(?:\\{1,4}|/)`;

/** The folders that no text contains by chance; the innermost first. */
export function ownFolders(folders: readonly string[]): OwnFolder[] {
  return [...new Set(folders.map((folder) => folder.replace(/[\\/]+$/, '')))]
    .filter((folder) => DISTINCTIVE.test(folder) && folder.length >= MIN_LENGTH)
    .toSorted((a, b) => b.length - a.length)
    .map((folder) => {
      const isPosix = folder.startsWith('/');
      const separator = isPosix ? '/' : WINDOWS_SEPARATOR;
      const segments = folder.split(isPosix ? '/' : /[\\/]/);
      const path = segments.map((name) => name.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join(separator);
      // A URL may have such a path, too.
      const pattern = new RegExp(String.raw`(?<![\w.~@%-])${path}${separator}`, isPosix ? '' : 'i');
      return { folder, name: segments.at(-1) ?? '', pattern };
    });
}

/** The folders of this machine of which a text contains a path; without those around another one. */
export function buildPathsIn(text: string, own: readonly OwnFolder[]): BuildPath[] {
  const found: BuildPath[] = [];
  for (const { folder, name, pattern } of own) {
    if (found.some((one) => one.folder.startsWith(folder))) continue;
    const isWindows = !folder.startsWith('/');
    const match = isWindows || text.includes(name) ? pattern.exec(text) : null;
    if (match !== null) found.push({ folder, from: match.index });
  }
  return found;
}

/** An absolute path or a file URL. `/src/main.ts` may be the path of a URL. */
const ABSOLUTE = /^(?:file:\/{2,3})?(\/?[A-Za-z]:[\\/][^\\/]+(?:[\\/][^\\/]+(?=[\\/]))?|\/[^/]+\/[^/]+(?=\/))/;

/** The folder that a source of a source map is in, if its path is absolute: that of a user or a project; else null. */
export function absoluteFolder(source: string): string | null {
  const [, folder] = ABSOLUTE.exec(source) ?? [];
  return folder ?? null;
}
