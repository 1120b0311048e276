import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { canonicalForm } from '../../core/fast-path/canonical-form.ts';
import { staysInside } from './places.ts';
import type { Batch, WantedPaths } from './prefetch.ts';
import { isUnwalked, walk } from './walk.ts';

/** The worker thread that reads ahead (prefetch.ts): walks the workspace, then reads its metadata files in order. */

/** Bytes of one portion; a file that does not fit into one is left to the main thread. */
const BATCH_BYTES = 256 * 1024;
/** Portions that wait to be consumed. */
const MAX_UNCONSUMED = 16;

if (parentPort === null) throw new Error('This program runs in a worker thread.');
const port = parentPort;
const root: string = workerData;
const tree = walk(root);

let unconsumed = 0;
let onConsumed: (() => void) | null = null;
port.on('message', (wanted: WantedPaths | number) => {
  if (typeof wanted === 'number') {
    unconsumed -= wanted;
    onConsumed?.();
    return;
  }
  // Paths that are not listed under exactly this name are left to the main thread, which reports the cause.
  const listed = wanted.map((path) => (tree.files.has(path) ? path : ''));
  // These will be read, and need not be listed.
  for (const path of wanted) tree.files.delete(path);
  port.postMessage(tree);
  void readAll(listed);
});

const buffer = Buffer.allocUnsafe(BATCH_BYTES);
let filled = 0;
let sizes: number[] = [];
let counts: number[] = [];

async function readAll(paths: WantedPaths): Promise<void> {
  for (const path of paths) {
    let size = path === '' || isOutside(path) ? -1 : read(path, filled);
    if (size > BATCH_BYTES - filled) {
      await sendBatch();
      size = read(path, 0);
      if (size > BATCH_BYTES) size = -1;
    }
    sizes.push(size);
    counts.push(size > 0 ? countCanonical(filled, size) : 0);
    filled += Math.max(0, size);
  }
  await sendBatch();
  port.close();
}

/** How many versions a file in canonical form lists, which is plain ASCII; 0 for any other. */
function countCanonical(at: number, size: number): number {
  const form = canonicalForm(buffer.toString('latin1', at, at + size));
  return form?.field === 'versions' ? form.count : 0;
}

function isOutside(path: string): boolean {
  return (tree.links || isUnwalked(path)) && !staysInside(root, path);
}

/** The size of a file, which is read if it fits after `at`; -1 if it is not a readable regular file. */
function read(path: string, at: number): number {
  let fd: number | null = null;
  try {
    fd = openSync(`${root}/${path}`, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(fd);
    if (!stat.isFile()) return -1;
    if (stat.size > BATCH_BYTES - at) return stat.size;
    let count = 0;
    while (count < stat.size) {
      const more = readSync(fd, buffer, at + count, stat.size - count, null);
      if (more === 0) return -1;
      count += more;
    }
    return count;
  } catch {
    // The main thread checks again and reports the cause.
    return -1;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Sends the files that were read, and waits if too many batches are not consumed. */
async function sendBatch(): Promise<void> {
  const bytes = new Uint8Array(buffer.subarray(0, filled));
  port.postMessage({ bytes, sizes, counts } satisfies Batch, [bytes.buffer]);
  filled = 0;
  sizes = [];
  counts = [];
  unconsumed++;
  if (unconsumed >= MAX_UNCONSUMED)
    await new Promise<void>((resolve) => {
      onConsumed = resolve;
    });
}
