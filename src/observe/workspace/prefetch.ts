import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { DocumentContent } from '../../core/facts/facts.ts';
import { assumeCanonical } from '../../core/json/json.ts';
import { contentOf } from './document-content.ts';
import type { WalkResult } from './walk.ts';

/** Reads many files in a worker thread, while the main thread judges those already read. */

/** Paths below the root, in the order in which they are needed; '' for none. */
export type WantedPaths = readonly string[];

/** Consecutive files. */
export interface Batch {
  bytes: Uint8Array;
  /** -1 for one that is not a readable regular file, or too large to be transferred. */
  sizes: readonly number[];
  /** How many versions a file in canonical form lists; 0 for any other. */
  counts: readonly number[];
}

export interface Prefetch {
  /**
   * Sets the files to read.
   * @returns the other files of the workspace; null if the thread has ended
   */
  want(paths: WantedPaths): Promise<WalkResult | null>;
  /** Whether the next file is available now. */
  isReady(): boolean;
  /** Waits until it is available, or until the thread has ended. */
  ready(): Promise<void>;
  /** The next file, or null: the caller has to read it. */
  next(): DocumentContent | null;
  close(): Promise<void>;
}

/** Megabytes of young generation; the thread needs little. */
const YOUNG_GENERATION_MB = 6;

/** The worker's program, next to the built command line; null if it is not built. */
function workerProgram(): string | null {
  const file = fileURLToPath(new URL('./prefetch-worker.cjs', import.meta.url));
  return existsSync(file) ? file : null;
}

/**
 * Null if the worker's program is not available. The thread starts by walking the workspace, before the files to read
 * are set. If it ends for any reason, the caller can read the files itself.
 */
export function openPrefetch(root: string): Prefetch | null {
  const file = workerProgram();
  if (file === null) return null;
  const thread = new Worker(file, {
    workerData: root,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const batches: Batch[] = [];
  const seen: { tree: WalkResult | null; ended: boolean } = { tree: null, ended: false };
  let wake: (() => void) | null = null;
  const notice = (): void => wake?.();
  thread.on('message', (message: WalkResult | Batch) => {
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
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const post = (message: WantedPaths | null): void => thread.postMessage(message);
  let batch: Batch = { bytes: new Uint8Array(), sizes: [], counts: [] };
  let bytes: Buffer = Buffer.alloc(0);
  let at = 0;
  let offset = 0;
  return {
    async want(paths) {
      post(paths);
      await until(() => seen.tree !== null);
      return seen.tree;
    },
    isReady: () => at < batch.sizes.length || batches.length > 0,
    ready: () => until(() => batches.length > 0),
    next() {
      if (at === batch.sizes.length) {
        const following = batches.shift();
        if (!following) return null;
        post(null);
        batch = following;
        bytes = Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.byteLength);
        [at, offset] = [0, 0];
      }
      const size = batch.sizes[at];
      const count = batch.counts[at];
      if (size === undefined || count === undefined) throw new Error('A batch without documents was sent.');
      at += 1;
      if (size === -1) return null;
      offset += size;
      return documentOf(bytes.subarray(offset - size, offset), count);
    },
    close: async () => void (await thread.terminate()),
  };
}

/** @param count of the versions of a metadata file in canonical form; 0 for any other document */
function documentOf(bytes: Buffer, count: number): DocumentContent {
  if (count === 0) return contentOf(bytes);
  const content = { text: bytes.toString('latin1'), base64: null, bytes: bytes.length, cut: false };
  assumeCanonical(content, { field: 'versions', count, others: [] });
  return content;
}
