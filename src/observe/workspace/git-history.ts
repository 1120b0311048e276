import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredSince } from '../../core/facts/facts.ts';
import type { DocumentContent } from '../../core/json/content.ts';
import { isAppregError } from '../../core/errors/error.ts';
import { readDocumentFile } from './documents.ts';
import { COMMITS_AT_A_TIME, git, isShallow, readBatch } from './git.ts';

/** The times since which files list what they list. */

/** The names that a content lists. */
export type NamesIn = (content: DocumentContent) => ReadonlySet<string>;

/**
 * Since when a file has listed the names that it lists in a commit: of the branch, the first of the commits in a row that
 * have them.
 * @param path from the top of the repository
 * @param root a folder in the repository
 */
export function commitSince(commit: string, path: string, root: string, namesIn: NamesIn): Map<string, StoredSince> {
  const since = new Map<string, StoredSince>();
  let names: string[] | null = null;
  for (const { at, content } of statesOf(commit, path, root)) {
    const listed: ReadonlySet<string> = content === null ? new Set<string>() : namesIn(content);
    names = (names ?? [...listed]).filter((name) => listed.has(name));
    if (names.length === 0) return since;
    for (const name of names) since.set(name, { at, by: 'commit' });
  }
  if (names === null || !isShallow(root)) return since;
  // They are in the first commit that is known.
  for (const name of names) {
    const first = since.get(name);
    if (first !== undefined) since.set(name, { ...first, orEarlier: true });
  }
  return since;
}

/** The states of a file up to a commit of a branch, the newest first; null where it does not exist. */
function* statesOf(
  commit: string,
  path: string,
  root: string,
): Generator<{ at: string; content: DocumentContent | null }> {
  const order = ['rev-list', '--first-parent', '--timestamp', commit, '--', `:(top,literal)${path}`];
  const { status, stdout } = git(order, root, { mayFail: true });
  if (status !== 0) return;
  const lines = stdout.toString('utf8').split('\n').filter(Boolean);
  for (let start = 0; start < lines.length; start += COMMITS_AT_A_TIME) {
    const commits = lines.slice(start, start + COMMITS_AT_A_TIME).map((line) => line.split(' '));
    const contents = readBatch(
      commits.map(([, id = '']) => `${id}:${path}`),
      root,
    );
    for (const [index, [seconds = '']] of commits.entries()) {
      const content = contents[index] ?? null;
      const at = new Date(Number(seconds) * 1000).toISOString();
      yield { at, content: content === 'linked-outside' ? null : content };
    }
  }
}

/**
 * Since when a file of a folder has listed the names that it lists: by the commits of the branch that is checked out, as
 * far as it is committed.
 * @param folder absolute; it need not be in a repository
 */
export function folderSince(folder: string, path: string, namesIn: NamesIn): Map<string, StoredSince> {
  const file = join(folder, path);
  const content = readDocumentFile(file);
  const names = typeof content === 'string' ? [] : [...namesIn(content)];
  const changed = statSync(file, { throwIfNoEntry: false })?.mtime ?? null;
  const committed = committedSince(folder, path, namesIn);
  return new Map(
    names.flatMap((name): [string, StoredSince][] => {
      const since = committed.get(name) ?? (changed && { at: changed.toISOString(), by: 'file' as const });
      return since === null ? [] : [[name, since]];
    }),
  );
}

function committedSince(folder: string, path: string, namesIn: NamesIn): ReadonlyMap<string, StoredSince> {
  try {
    const { status, stdout } = git(['rev-parse', '--show-prefix'], folder, { mayFail: true });
    if (status !== 0) return new Map();
    return commitSince('HEAD', stdout.toString('utf8').replace(/\n$/, '') + path, folder, namesIn);
  } catch (error) {
    // Without git, only the time of the file is known.
    if (isAppregError(error) && error.code === 'git-missing') return new Map();
    throw error;
  }
}
