import type { Digest } from '../bytes.ts';
import { checkedSegments } from '../paths.ts';
import type { BatchStore, Stored, Write } from '../store.ts';
import { openBranch } from './branch.ts';
import type { GitPlace } from './clone.ts';
import { redact } from '../../core/text/text.ts';
import { blobDigest, blobsAt, contentsOf } from './objects.ts';
import { pushWrites } from './push.ts';

/** Larger files, in bytes, are requested each time. */
const MAX_CACHED = 1_000_000;

/**
 * A registry in a branch of a git remote, as hosts of static pages publish it. All writes of a batch are one commit on
 * top of the current branch, and a push that the remote accepts only if the branch has not moved: otherwise it is read
 * again, the condition is checked again, and the commit is created again. After a push without a response, the branch
 * is searched for its commit. Nothing is checked out, and the user's own repository is not touched; only the files that
 * are read are fetched, if the remote supports it.
 */
export function openGit(place: GitPlace): BatchStore {
  const branch = openBranch(place);
  /** Contents by blob: a publisher reads the same documents several times. */
  const cached = new Map<string, Buffer>();
  let last: Promise<unknown> = Promise.resolve();

  /** Sequentially: git locks its own files, and does not wait. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  }

  async function read(paths: readonly string[]): Promise<Map<string, Stored>> {
    for (const path of paths) checkedSegments(path);
    const blobs = await blobsAt(branch.retrying, await branch.tip(), paths, branch.name);
    const missing = [...new Set(blobs.values())].filter((blob) => !cached.has(blob));
    const fetched = missing.length === 0 ? new Map<string, Buffer>() : await contentsOf(branch.retrying, missing);
    const files = new Map<string, Stored>();
    for (const [path, blob] of blobs) {
      const bytes = cached.get(blob) ?? fetched.get(blob);
      if (bytes === undefined) throw new Error(`git returned no content for ${blob}`);
      if (bytes.length <= MAX_CACHED) cached.set(blob, bytes);
      files.set(path, { bytes: Buffer.from(bytes), token: blob });
    }
    return files;
  }

  async function digest(path: string): Promise<Digest | null> {
    checkedSegments(path);
    const blob = (await blobsAt(branch.retrying, await branch.tip(), [path], branch.name)).get(path);
    return blob === undefined ? null : blobDigest(branch.git, blob);
  }

  /** Writes if the files are in the required states; false if one is not. */
  async function write(writes: readonly Write[], why?: string): Promise<boolean> {
    for (const { path } of writes) checkedSegments(path);
    return inTurn(() => pushWrites(branch, writes, why));
  }

  return {
    name: `the branch ${place.branch} of ${redact(place.remote)}`,
    digest: (path) => inTurn(() => digest(path)),
    read: async (path) => (await inTurn(() => read([path]))).get(path) ?? null,
    create: async (path, bytes, { why } = {}) =>
      (await write([{ path, bytes, token: null }], why)) ? 'created' : 'exists',
    replace: async (path, bytes, token, { why } = {}) =>
      (await write([{ path, bytes, token }], why)) ? 'replaced' : 'changed',
    batch: {
      read: (paths) => inTurn(() => read(paths)),
      write: async (writes, why) => ((await write(writes, why)) ? 'written' : 'changed'),
    },
  };
}
