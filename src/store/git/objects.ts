import { message } from '../../core/text/message.ts';
import { createHash, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { printable } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import type { Digest } from '../bytes.ts';
import { requireSuccess, outputOf } from './clone.ts';
import type { GitDetails, GitRun } from './process.ts';

/** The content of a branch, and commits on top of it: git objects only, nothing is checked out. */

/** Runs git in the clone. */
export type Git = (args: readonly string[], more?: GitDetails) => Promise<GitRun>;

/** A file whose content is an object already. */
export interface Change {
  path: string;
  blob: string;
  isNew: boolean;
}

/** This number of paths fits into one command line on any system. */
const PATHS_PER_COMMAND = 100;

/**
 * The ids of files' contents in a commit (null: there is none yet); missing paths are left out.
 * @throws AppregError `not-a-file` for a folder or a link
 */
export async function blobsAt(
  git: Git,
  commit: string | null,
  paths: readonly string[],
  branch: string,
): Promise<Map<string, string>> {
  const blobs = new Map<string, string>();
  if (commit === null) return blobs;
  for (let at = 0; at < paths.length; at += PATHS_PER_COMMAND) {
    const wanted = paths.slice(at, at + PATHS_PER_COMMAND);
    const listed = await requireSuccess(
      git(['ls-tree', '-z', commit, '--', ...wanted.map((path) => `:(literal)${path}`)]),
    );
    for (const line of listed.stdout.toString('utf8').split('\0').slice(0, -1)) {
      const [, mode, type, id, path] = /^(\d+) (\w+) ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
      if (id === undefined || path === undefined) throw new Error(`git ls-tree printed ${JSON.stringify(line)}`);
      if (type !== 'blob' || mode === '120000') throw notAFile(path, branch);
      blobs.set(path, id);
    }
  }
  return blobs;
}

function notAFile(path: string, branch: string): AppregError {
  return new AppregError(
    'not-a-file',
    message`${path} is not a regular file in the branch ${branch}.`,
    message`Give the path of a file.`,
    { effect: 'none' },
  );
}

/**
 * Refuses new files below an existing file: git would replace it by a folder.
 * @throws AppregError `not-a-folder`
 */
export async function checkFolders(git: Git, parent: string | null, changes: readonly Change[]): Promise<void> {
  const folders = new Set<string>();
  for (const { path } of changes.filter(({ isNew }) => isNew))
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at));
  if (parent === null || folders.size === 0) return;
  const input = [...folders].map((folder) => `${parent}:${folder}\n`).join('');
  const types = outputOf(await requireSuccess(git(['cat-file', '--batch-check=%(objecttype)'], { input }))).split('\n');
  for (const [at, folder] of [...folders].entries())
    if (types[at] === 'blob')
      throw new AppregError(
        'not-a-folder',
        message`${folder} is a file, so it cannot contain other files.`,
        message`Choose another path.`,
        { effect: 'none' },
      );
}

/** The contents of these objects. Missing objects are fetched in one batch, if the remote supports it. */
export async function contentsOf(git: Git, blobs: readonly string[]): Promise<Map<string, Buffer>> {
  const input = blobs.map((blob) => `${blob}\n`).join('');
  // git would fetch them one by one. If this fails, it still does.
  if (blobs.length > 1)
    await git(['fetch', '--quiet', '--no-tags', '--filter=blob:none', '--stdin', 'origin'], { input });
  const { stdout } = await requireSuccess(git(['cat-file', '--batch'], { input }));
  const contents = new Map<string, Buffer>();
  let at = 0;
  for (const blob of blobs) {
    const start = stdout.indexOf('\n', at) + 1;
    const end = start + Number(stdout.toString('latin1', at, start).split(' ')[2]);
    contents.set(blob, stdout.subarray(start, end));
    at = end + 1;
  }
  return contents;
}

/** Size and SHA-256 of an object, which is fetched first if needed. */
export async function blobDigest(git: Git, blob: string): Promise<Digest> {
  const hash = createHash('sha256');
  let length = 0;
  await requireSuccess(
    git(['cat-file', 'blob', blob], {
      sink(chunk) {
        hash.update(chunk);
        length += chunk.length;
      },
    }),
  );
  return { length, sha256: hash.digest('hex') };
}

/**
 * Creates a commit with only these changes.
 * @param folder the clone
 * @param author for the environment
 * @param why the subject, if known
 */
export async function commitOn(
  git: Git,
  parent: string | null,
  changes: readonly Change[],
  folder: string,
  author: Record<string, string>,
  why: string | undefined,
): Promise<string> {
  const index = join(folder, `index-${randomUUID()}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    await requireSuccess(git(parent === null ? ['read-tree', '--empty'] : ['read-tree', parent], { env }));
    const input = changes.map(({ path, blob }) => `100644 ${blob}\t${path}\0`).join('');
    await requireSuccess(git(['update-index', '-z', '--add', '--index-info'], { env, input }));
    // The other files' contents were never fetched.
    const tree = outputOf(await requireSuccess(git(['write-tree', '--missing-ok'], { env })));
    const parents = parent === null ? [] : ['-p', parent];
    return outputOf(
      await requireSuccess(git(['commit-tree', tree, ...parents], { env: author, input: messageFor(changes, why) })),
    );
  } finally {
    await rm(index, { force: true });
  }
}

/** Characters of a subject, as in git's own tools. */
const SUBJECT = 72;

/** The subject, followed by the changes. */
function messageFor(changes: readonly Change[], why: string | undefined): string {
  const lines = changes.map(({ path, isNew }) => `${isNew ? 'Add' : 'Update'} ${path}`);
  const title = why === undefined ? titleOf(lines) : printable(why);
  const subject = title.length <= SUBJECT ? title : `${title.slice(0, SUBJECT - 1)}…`;
  const body = lines.length === 1 && lines[0] === subject ? '' : `${lines.join('\n')}\n\n`;
  // Otherwise two writers of the same content in the same second would create the same commit, and both assume success.
  return `${subject}\n\n${body}Appreg-Write: ${randomUUID()}\n`;
}

/** The last change of a plan lists the others. */
function titleOf(lines: readonly string[]): string {
  const last = lines.at(-1) ?? '';
  return lines.length === 1 ? last : `${last}, and ${lines.length - 1} more`;
}
