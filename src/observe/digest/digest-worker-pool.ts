import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { digestArtifact, type Inspected, type Inspection, type InspectTask } from './digest-artifact.ts';

/**
 * Digests and lists large artifacts in a worker thread, while this thread reads from the network. Small ones are
 * processed on this thread, which is cheaper than transferring them and compiling the same code twice.
 */

/** A part of an artifact. Only the first part has `task`. */
export interface Piece {
  id: number;
  task: InspectTask | null;
  bytes: Uint8Array;
  last: 'end' | 'drop' | null;
}

/** Returns the memory of a piece. */
export interface Answer {
  id: number;
  memory: ArrayBuffer;
  /** With the last piece. */
  facts: Inspected | null;
}

export interface DigestWorkerPool {
  open(task: InspectTask): Inspection;
  close(): void;
}

/** Bytes of a large artifact, and the total bytes of large artifacts from which starting a thread pays off. */
const LARGE = 256 * 1024;
const FROM = 16_000_000;
const MEMORY = 256 * 1024;
/** Pieces in flight; at this number senders wait. Those being filled are not counted, or all senders might wait. */
const UNDER_WAY = 24;

/** The worker's program, next to the built command line; null if it is not built. */
function program(): string | null {
  const file = fileURLToPath(new URL('./digest-worker.cjs', import.meta.url));
  return existsSync(file) ? file : null;
}

/**
 * @param threads false to stay on this thread
 * @param file the worker's program
 */
export function openDigestWorkerPool(threads: boolean, file = threads ? program() : null): DigestWorkerPool {
  let thread: ReturnType<typeof startThread> | null = null;
  let bytes = 0;
  return {
    open(task) {
      const size = task.packedBytes ?? 0;
      if (file === null || size < LARGE) return digestArtifact(task);
      bytes += size;
      if (bytes >= FROM) thread ??= startThread(file);
      return thread?.ready ? thread.open(task) : digestArtifact(task);
    },
    close: () => thread?.close(),
  };
}

interface Asked {
  resolve(facts: Inspected): void;
  reject(error: Error): void;
}

function startThread(file: string): DigestWorkerPool & { readonly ready: boolean } {
  const worker = new Worker(file);
  const asked = new Map<number, Asked>();
  const spare: ArrayBuffer[] = [];
  const waiting: (() => void)[] = [];
  let underWay = 0;
  let ids = 0;
  let ready = false;
  let broken: Error | null = null;

  worker.on('online', () => (ready = true));
  worker.on('message', ({ id, memory, facts }: Answer) => {
    underWay -= 1;
    if (memory.byteLength === MEMORY) spare.push(memory);
    waiting.shift()?.();
    if (facts === null) return;
    asked.get(id)?.resolve(facts);
    asked.delete(id);
  });
  const end = (error: Error): void => {
    broken ??= error;
    ready = false;
    for (const one of asked.values()) one.reject(broken);
    asked.clear();
    underWay = 0;
    for (const go of waiting.splice(0)) go();
  };
  worker.on('error', end).on('exit', () => end(new Error('the thread that reads artifacts ended')));

  function memory(): Uint8Array | null {
    if (underWay >= UNDER_WAY) return null;
    return new Uint8Array(spare.pop() ?? Buffer.allocUnsafeSlow(MEMORY).buffer);
  }

  function post(piece: Piece): void {
    underWay += 1;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(piece, [piece.bytes.buffer as ArrayBuffer]);
  }

  return {
    get ready() {
      return ready;
    },
    open(first) {
      const id = ids++;
      let task: InspectTask | null = first;
      let filling: Uint8Array | null = null;
      let filled = 0;

      function hand(last: Piece['last']): void {
        const bytes = filling ?? new Uint8Array(0);
        post({ id, task, bytes: bytes.subarray(0, filled), last });
        task = null;
        filling = null;
        filled = 0;
      }

      function fill(chunk: Uint8Array): Uint8Array | null {
        let rest = chunk;
        while (rest.length > 0) {
          filling ??= memory();
          if (filling === null) return rest;
          const part = rest.subarray(0, MEMORY - filled);
          filling.set(part, filled);
          filled += part.length;
          rest = rest.subarray(part.length);
          if (filled === MEMORY) hand(null);
        }
        return null;
      }

      return {
        write(chunk) {
          const rest = fill(chunk);
          return rest === null ? undefined : refill(Buffer.from(rest));
        },
        end() {
          if (broken) return Promise.reject(broken);
          return new Promise((resolve, reject) => {
            asked.set(id, { resolve, reject });
            hand('end');
          });
        },
        drop: () => hand('drop'),
      };

      async function refill(rest: Uint8Array): Promise<void> {
        let left: Uint8Array | null = rest;
        while (left !== null) {
          await new Promise<void>((resolve) => waiting.push(resolve));
          left = fill(left);
        }
      }
    },
    close: () => void worker.terminate(),
  };
}
