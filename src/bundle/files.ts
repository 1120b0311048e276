import { message } from '../core/text/message.ts';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { dirname, isAbsolute, join, posix, relative, sep } from 'node:path';
import { AppregError } from '../core/errors/error.ts';
import { type PlacedFile, placeOf } from '../core/release/build-settings.ts';
import type { FileToPack } from './archive.ts';
import type { BundleOptions } from './options.ts';
import { systemErrorCode } from '../platform/system-error.ts';

/**
 * Files that are never published: version control, and files created by the OS. Skipped with a warning, never silently.
 */
const JUNK = new Set(['.git', '.hg', '.svn', '.DS_Store', 'Thumbs.db', 'desktop.ini']);

/**
 * All regular files below `folder`. Symbolic links that stay inside are followed, and their targets are packed.
 * @param leaveOut a file inside the folder that must not be packed (the archive being written); null for none
 * @returns the files, and the skipped paths
 * @throws AppregError for links that lead outside or form a cycle, for special files, and if the folder cannot be read
 */
export function readFolder(folder: string, leaveOut: string | null): { files: FileToPack[]; skipped: string[] } {
  const root = realpathSync(folder);
  const isLeftOut = sameAs(leaveOut);
  const files: FileToPack[] = [];
  const skipped: string[] = [];

  /** `path` as in the archive; `chain`: the real paths of the parent folders, to detect link cycles. */
  function walk(path: string, chain: readonly string[]): void {
    for (const name of readdirSync(join(root, path)).sort()) {
      const inner = path === '' ? name : `${path}/${name}`;
      if (JUNK.has(name)) {
        skipped.push(inner);
        continue;
      }
      const { real, stats } = resolveInside(root, inner);
      if (isLeftOut(stats)) skipped.push(inner);
      else if (stats.isFile()) files.push({ path: inner, bytes: readFileSync(real) });
      else if (!stats.isDirectory()) throw special(inner);
      else if (chain.includes(real)) throw linkError(inner, 'points to one of its parent folders');
      else walk(inner, [...chain, real]);
    }
  }

  try {
    walk('', [root]);
  } catch (error) {
    throw readable(error);
  }
  return { files, skipped };
}

/** A file that is packed as it is. */
export interface PackedFile extends FileToPack {
  /** Absolute; absent if it has the same path in the folder of the entry point. */
  source?: string;
}

/**
 * The files of `include`: those that match its globs, relative to `folder` (`*`, `**`, `{a,b}`; `!` excludes; a folder
 * includes all of its files), and files and folders with their place. node_modules is searched only by globs that name it.
 * @throws AppregError for a glob that matches nothing or leads outside the folder, and for a file that does not exist
 */
export async function readIncluded(
  folder: string,
  { include = [], places, leaveOut = null }: Pick<BundleOptions, 'include' | 'places'> & { leaveOut?: string | null },
): Promise<PackedFile[]> {
  if (include.length === 0) return [];
  const globs = include.filter((one) => typeof one === 'string');
  const { escapePath, globSync } = await import('tinyglobby');
  const root = realpathSync(folder);
  const isLeftOut = sameAs(leaveOut);
  const without = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const found = new Map<string, PackedFile>();
  for (const [index, glob] of include.entries()) {
    const place = placeOf(places, 'include', index);
    if (typeof glob !== 'string') {
      for (const file of placedFiles(root, glob, place)) found.set(file.path, file);
      continue;
    }
    if (glob.startsWith('!')) continue;
    if (isAbsolute(glob) || glob.split(/[\\/]/).includes('..')) {
      throw new AppregError(
        'include-outside',
        message`${place} ${glob} matches files outside the entry's folder.`,
        message`Give a path relative to ${root}, or copy the files into that folder first.`,
      );
    }
    // An existing name is taken literally, even if it contains brackets.
    const literal = existsSync(join(root, glob));
    const pattern = literal ? escapePath(glob.replaceAll(sep, '/')) : glob;
    const ignore = glob.includes('node_modules') ? without : [...without, '**/node_modules/**'];
    const matches = globSync([pattern], {
      cwd: root,
      ignore,
      onlyFiles: true,
      dot: literal && statSync(join(root, glob)).isFile(),
    });
    if (matches.length === 0) {
      throw new AppregError(
        'include-without-match',
        message`${place} ${glob} matches no file in ${root}.`,
        glob.includes('\\')
          ? message`Separate folders with / (a backslash escapes the next character).`
          : message`Correct the glob, or omit it.`,
      );
    }
    for (const path of matches) {
      const { real, stats } = resolveInside(root, path);
      if (isLeftOut(stats)) continue;
      if (!stats.isFile()) throw special(path);
      found.set(path, { path, bytes: readBytes(real) });
    }
  }
  return [...found.values()];
}

/** A file, or the files of a folder, which may be anywhere. @throws AppregError for an invalid path, or one that does not exist */
function placedFiles(root: string, { from, to }: PlacedFile, place: string): PackedFile[] {
  if (isAbsolute(to) || /^[A-Za-z]:|\\|\/$/.test(to) || to.split('/').includes('..') || posix.normalize(to) === '.')
    throw new AppregError(
      'include-outside',
      message`${place} ${to} is not a path inside the archive.`,
      message`Give a relative path without .., such as assets/data.wasm.`,
    );
  const folders = from.startsWith('node_modules/') ? foldersUpFrom(root) : [root];
  const source = folders.map((at) => join(at, from)).find((path) => existsSync(path));
  if (isAbsolute(from) || source === undefined)
    throw new AppregError(
      'include-without-match',
      message`${place} ${from} does not exist in ${root}${folders.length > 1 ? ' or a folder above it' : ''}.`,
      message`Give the path of an existing file or folder, relative to that folder.`,
    );
  const real = realpathSync(source);
  const path = posix.normalize(to);
  const stats = statSync(real);
  if (stats.isFile()) return [{ path, bytes: readBytes(real), source: real }];
  if (!stats.isDirectory()) throw special(from);
  return readFolder(real, null).files.map((file) => ({
    path: `${path}/${file.path}`,
    bytes: file.bytes,
    source: join(real, file.path),
  }));
}

/** A folder, and those that contain it, the nearest first. */
export function foldersUpFrom(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)];
}

/** True if a file is the given one, by device and inode. */
function sameAs(file: string | null): (stats: BigIntStats) => boolean {
  if (file === null || !existsSync(file)) return () => false;
  const { dev, ino } = statSync(file, { bigint: true });
  return (stats) => stats.ino === ino && stats.dev === dev;
}

/** The real path, which must be inside the folder, and its stats. */
function resolveInside(root: string, path: string): { real: string; stats: BigIntStats } {
  if (path.includes('\ufffd')) {
    throw new AppregError(
      'bundle-name-invalid',
      message`The name ${path} has bytes that are not UTF-8.`,
      message`Rename the file.`,
    );
  }
  let real: string;
  try {
    real = realpathSync(join(root, path));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') throw linkError(path, 'points to a file that does not exist', error);
    if (code === 'ELOOP') throw linkError(path, 'is part of a loop', error);
    throw error;
  }
  const fromRoot = relative(root, real);
  if (fromRoot === '..' || fromRoot.startsWith(`..${sep}`) || isAbsolute(fromRoot))
    throw linkError(path, 'points outside the folder');
  return { real, stats: statSync(real, { bigint: true }) };
}

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw readable(error);
  }
}

function linkError(path: string, what: string, cause?: unknown): AppregError {
  return new AppregError(
    'bundle-link-invalid',
    message`The symbolic link ${path} ${what}.`,
    message`Replace the link with the file itself, or remove it.`,
    { cause },
  );
}

function special(path: string): AppregError {
  return new AppregError(
    'not-a-file',
    message`${path} is neither a file nor a folder.`,
    message`Remove it from the folder.`,
  );
}

/** Converts a failed system call to an AppregError that names the file; other errors are returned unchanged. */
export function readable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppregError) return error;
  const code = systemErrorCode(error);
  if (code === null || !('path' in error) || typeof error.path !== 'string') return error;
  return new AppregError(
    'file-unreadable',
    message`${error.path} cannot be read (${code}).`,
    message`Check that it exists and that its permissions allow reading.`,
    { cause: error },
  );
}
