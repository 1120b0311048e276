import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { AppregError } from '../core/errors/error.ts';
import { message, type SafeText } from '../core/text/message.ts';
import { compareText } from '../core/text/order.ts';
import { diskError, errno } from '../store/directory/disk-error.ts';
import { removeStaleTempFiles, tempName } from '../store/directory/owner.ts';
import { retryWhileBusy } from '../store/directory/system.ts';
import { isSitePath } from './paths.ts';

/**
 * The folder of a site. A file with the same content is not written, so that its time stays. `appreg-site.json` lists
 * the files that were written: only these are replaced or deleted.
 */

const FILE_LIST = 'appreg-site.json';

export interface SiteFile {
  path: string;
  content: FileContent;
}

/** A text, or the portions of a large one, which can be made several times. */
type FileContent = string | (() => Iterable<string>);

/** Changes of a run, made or planned: paths in order. */
export interface SiteChanges {
  created: string[];
  changed: string[];
  removed: string[];
  unchanged: number;
}

export interface OutputOptions {
  /** As messages name the folder. */
  shownAs: string;
  /** False: nothing is written. */
  isWriting: boolean;
  /** True if the folder may have files of others beside those of the site. */
  mayHaveOthers(names: readonly string[]): boolean;
  onFile?(): void;
}

/**
 * Writes a site into a folder, and deletes the files of an earlier run that it no longer has.
 * @param possible the paths that the files may have
 * @param files made one after the other
 * @throws AppregError `site-folder-occupied` for a folder with other files, before anything is written; errors of the disk
 */
export async function writeSite(
  folder: string,
  possible: readonly string[],
  files: AsyncIterable<SiteFile>,
  options: OutputOptions,
): Promise<SiteChanges> {
  const { shownAs, isWriting, onFile } = options;
  const earlier = earlierFiles(folder, options);
  const present = presentIn(folder, shownAs);
  refuseForeign(folder, possible, { earlier, present }, shownAs);
  // Files that killed runs have left, which would be uploaded with the site.
  if (isWriting) for (const name of ['', 'apps', 'assets']) await removeStaleTempFiles(join(folder, name));
  const changes: SiteChanges = { created: [], changed: [], removed: [], unchanged: 0 };
  const written = new Set<string>();
  const folders = new Set<string>();
  let isListed = false;
  for await (const { path, content } of files) {
    written.add(path);
    const before = present.has(path) ? compared(folder, path, content, shownAs) : 'absent';
    onFile?.();
    if (before === 'same') changes.unchanged += 1;
    else {
      (before === 'absent' ? changes.created : changes.changed).push(path);
      if (!isWriting) continue;
      // A run that is interrupted leaves a list with all files that it may have written.
      if (!isListed) await writeList(folder, new Set([...earlier, ...possible]), shownAs);
      isListed = true;
      await place(folder, path, content, shownAs, folders);
    }
  }
  changes.removed = [...earlier]
    .filter((path) => !written.has(path) && present.has(path) && existsIn(folder, path))
    .sort(compareText);
  if (!isWriting) return changes;
  for (const path of changes.removed) remove(folder, path, shownAs);
  await writeList(folder, written, shownAs);
  return changes;
}

/**
 * The paths of the files that the folders of a site have, in lower case as those of a site are: some file systems find a
 * file under another case. Listing them takes a fraction of the time of a question for each file.
 */
function presentIn(folder: string, shownAs: string): ReadonlySet<string> {
  const inFolder = (name: string): string[] =>
    namesIn(join(folder, name), join(shownAs, name), ['ENOENT', 'ENOTDIR']).map((one) => posix.join(name, one));
  const paths = ['', 'apps', 'assets'].flatMap(inFolder);
  return new Set(paths.map((path) => path.toLowerCase()));
}

/** Empty for a folder that is absent: reading it fails with one of these codes. @throws AppregError of the disk */
function namesIn(folder: string, shownAs: string, absent: readonly string[]): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (absent.includes(errno(error))) return [];
    throw diskError(error, shownAs, null, folder);
  }
}

/** The files of earlier runs; empty for a new folder. */
function earlierFiles(folder: string, { shownAs, mayHaveOthers }: OutputOptions): ReadonlySet<string> {
  const names = namesIn(folder, shownAs, ['ENOENT']);
  if (!names.includes(FILE_LIST)) {
    const others = names.filter((name) => !name.startsWith('.') && name !== 'CNAME');
    if (others.length === 0 || mayHaveOthers(others)) return new Set();
    throw occupied(
      message`${shownAs} contains other files (such as ${others[0] ?? ''}), and no ${FILE_LIST}: it is not the folder of a site.`,
    );
  }
  return new Set(listedIn(textAt(folder, FILE_LIST, shownAs) ?? '', join(shownAs, FILE_LIST)));
}

function occupied(
  summary: SafeText,
  advice = message`Give an empty or new folder, or move the other files.`,
): AppregError {
  return new AppregError('site-folder-occupied', summary, advice, { effect: 'none' });
}

/** The paths in a list of files; others are ignored, so that a list cannot name a file outside of the site. */
function listedIn(text: string, shownAs: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  const files = typeof value === 'object' && value !== null && 'files' in value ? value.files : null;
  if (!Array.isArray(files))
    throw occupied(
      message`${shownAs} is not a list of the files of a site.`,
      message`Restore the file, or give a new folder.`,
    );
  return files.filter((path): path is string => typeof path === 'string' && isSitePath(path));
}

/** Files that another program wrote are not replaced, and links out of the folder are not followed. */
function refuseForeign(
  folder: string,
  paths: readonly string[],
  { earlier, present }: { earlier: ReadonlySet<string>; present: ReadonlySet<string> },
  shownAs: string,
): void {
  for (const name of ['apps', 'assets']) {
    const kind = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (kind !== undefined && !kind.isDirectory()) throw occupied(message`${join(shownAs, name)} is not a folder.`);
  }
  const foreign = paths.find((path) => present.has(path) && !earlier.has(path) && existsIn(folder, path));
  if (foreign !== undefined)
    throw occupied(message`${join(shownAs, foreign)} exists, and was not written by appreg site.`);
}

function existsIn(folder: string, path: string): boolean {
  return lstatSync(join(folder, path), { throwIfNoEntry: false }) !== undefined;
}

function compared(folder: string, path: string, content: FileContent, shownAs: string): 'absent' | 'same' | 'other' {
  const before = textAt(folder, path, shownAs);
  if (before === null) return 'absent';
  if (typeof content === 'string') return before === content ? 'same' : 'other';
  let at = 0;
  for (const part of content()) {
    if (!before.startsWith(part, at)) return 'other';
    at += part.length;
  }
  return at === before.length ? 'same' : 'other';
}

/** Null for a file that does not exist. */
function textAt(folder: string, path: string, shownAs: string): string | null {
  try {
    return readFileSync(join(folder, path), 'utf8');
  } catch (error) {
    if (errno(error) === 'ENOENT') return null;
    throw diskError(error, join(shownAs, path), null, join(folder, path));
  }
}

async function writeList(folder: string, paths: ReadonlySet<string>, shownAs: string): Promise<void> {
  const text = `${JSON.stringify({ schema: 1, files: [...paths].sort(compareText) }, null, 2)}\n`;
  if (textAt(folder, FILE_LIST, shownAs) !== text) await place(folder, FILE_LIST, text, shownAs);
}

/**
 * Readers see the old file or the new one. It is not synced to the disk: a site can be generated again, and syncing
 * thousands of files takes minutes. Synchronous, since a round trip to one of Node's threads takes longer than the call.
 * @param made the folders that exist; those of the file are added
 */
async function place(
  folder: string,
  path: string,
  content: FileContent,
  shownAs: string,
  made = new Set<string>(),
): Promise<void> {
  const target = join(folder, path);
  const parent = dirname(target);
  const temp = join(parent, tempName('site'));
  try {
    if (!made.has(parent)) mkdirSync(parent, { recursive: true });
    made.add(parent);
    writeNew(temp, content);
    await retryWhileBusy(async () => renameSync(temp, target));
  } catch (error) {
    rmSync(temp, { force: true });
    throw diskError(error, join(shownAs, path), { effect: 'unknown' }, target);
  }
}

function remove(folder: string, path: string, shownAs: string): void {
  const target = join(folder, path);
  try {
    rmSync(target, { force: true });
  } catch (error) {
    throw diskError(error, join(shownAs, path), { effect: 'unknown' }, target);
  }
}

/** @throws a system error, also for a file that exists */
function writeNew(path: string, content: FileContent): void {
  const file = openSync(path, 'wx');
  try {
    for (const part of typeof content === 'string' ? [content] : content()) writeFileSync(file, part);
  } finally {
    closeSync(file);
  }
}
