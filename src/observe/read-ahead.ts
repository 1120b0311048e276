import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { DocumentContent } from '../core/facts.ts';
import { contentOf } from './documents.ts';
import type { Tree } from './walk.ts';

/** Reading many files in another thread, so that what was read can be judged meanwhile. */

export interface ReadingTask {
  root: string;
  /** In the order in which they are wanted; '' for none. */
  paths: readonly string[];
}

/** Files one behind another; a size of -1 for one that is not plainly there, or too large to be handed over. */
export interface Batch {
  bytes: Uint8Array;
  sizes: readonly number[];
}

export interface ReadAhead {
  /** What lies in the workspace, without the files that are read. */
  tree: Tree;
  /** The next file, or null: look for yourself. */
  next(): Promise<DocumentContent | null>;
  close(): Promise<void>;
}

/** The program of the thread, which stands beside the built command line; null where it is not built. */
function program(): string | null {
  const file = fileURLToPath(new URL('./reader.cjs', import.meta.url));
  return existsSync(file) ? file : null;
}

/** Null where the thread's program is not at hand. Whatever ends the thread, the caller can look for itself. */
export async function openReadAhead(task: ReadingTask): Promise<ReadAhead | null> {
  const file = program();
  if (file === null) return null;
  const thread = new Worker(file, { workerData: task });
  const batches: Batch[] = [];
  const seen: { tree: Tree | null; ended: boolean } = { tree: null, ended: false };
  let wake: (() => void) | null = null;
  const notice = (): void => wake?.();
  thread.on('message', (message: Tree | Batch) => {
    if ('sizes' in message) batches.push(message);
    else seen.tree = message;
    notice();
  });
  const end = (): void => {
    seen.ended = true;
    notice();
  };
  thread.on('error', end).on('exit', end);
  const until = async (there: () => boolean): Promise<void> => {
    while (!there() && !seen.ended)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  await until(() => seen.tree !== null);
  const { tree } = seen;
  if (tree === null) return null;
  let batch: Batch = { bytes: new Uint8Array(), sizes: [] };
  let at = 0;
  let offset = 0;
  return {
    tree,
    async next() {
      if (at === batch.sizes.length) {
        await until(() => batches.length > 0);
        const following = batches.shift();
        if (!following) return null;
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        thread.postMessage(null);
        batch = following;
        [at, offset] = [0, 0];
      }
      const size = batch.sizes[at++]!;
      if (size === -1) return null;
      const bytes = batch.bytes.subarray(offset, offset + size);
      offset += size;
      return contentOf(bytes);
    },
    close: async () => void (await thread.terminate()),
  };
}
