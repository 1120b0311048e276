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

/** Fewer than the thread may send before it waits (`MAX_UNCONSUMED`). */
const CONFIRMED_TOGETHER = 8;

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
  const program = workerProgram();
  if (program === null) return null;
  const thread = new PrefetchThread(program, root);
  let documents = new BatchDocuments({ bytes: new Uint8Array(), sizes: [], counts: [] });
  return {
    async want(paths) {
      thread.post(paths);
      await thread.until(() => thread.tree !== null);
      return thread.tree;
    },
    isReady: () => !documents.isAtEnd || thread.batches.length > 0,
    ready: () => thread.until(() => thread.batches.length > 0),
    next() {
      if (documents.isAtEnd) {
        const batch = thread.batches.shift();
        if (!batch) return null;
        thread.confirm();
        documents = new BatchDocuments(batch);
      }
      return documents.next();
    },
    close: () => thread.close(),
  };
}

/** The thread, and what it has sent. */
class PrefetchThread {
  /** The batches that are not yet read. */
  readonly batches: Batch[] = [];
  /** Null until the thread has walked the workspace. */
  tree: WalkResult | null = null;
  private readonly thread: Worker;
  private hasEnded = false;
  private unconfirmed = 0;
  private wake = (): void => {};

  constructor(program: string, root: string) {
    this.thread = new Worker(program, {
      workerData: root,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.thread.on('message', (message: WalkResult | Batch) => {
      if ('sizes' in message) this.batches.push(message);
      else this.tree = message;
      this.wake();
    });
    const end = (): void => {
      this.hasEnded = true;
      this.wake();
    };
    this.thread.on('error', end).on('exit', end);
  }

  /** Permits further batches. The thread may wait for it, and waking it takes time: several are confirmed at once. */
  confirm(): void {
    if (++this.unconfirmed < CONFIRMED_TOGETHER) return;
    this.post(this.unconfirmed);
    this.unconfirmed = 0;
  }

  /** @param message the files to read, or the number of batches that were taken */
  post(message: WantedPaths | number): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.thread.postMessage(message);
  }

  /** Waits until the condition is true, or until the thread has ended. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.hasEnded)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
  }

  async close(): Promise<void> {
    await this.thread.terminate();
  }
}

/** Takes the documents out of a batch, one after the other. */
class BatchDocuments {
  private readonly batch: Batch;
  private readonly bytes: Buffer;
  private index = 0;
  private offset = 0;

  constructor(batch: Batch) {
    this.batch = batch;
    this.bytes = Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.index === this.batch.sizes.length;
  }

  /** The next document; null for a file that the caller has to read. */
  next(): DocumentContent | null {
    const size = this.batch.sizes[this.index];
    const count = this.batch.counts[this.index];
    if (size === undefined || count === undefined) throw new Error('A batch without documents was sent.');
    this.index += 1;
    if (size === -1) return null;
    this.offset += size;
    return documentOf(this.bytes.subarray(this.offset - size, this.offset), count);
  }
}

/** @param count of the versions of a metadata file in canonical form; 0 for any other document */
function documentOf(bytes: Buffer, count: number): DocumentContent {
  if (count === 0) return contentOf(bytes);
  const content = { text: bytes.toString('latin1'), base64: null, bytes: bytes.length, cut: false };
  assumeCanonical(content, { field: 'versions', count, others: [] });
  return content;
}
