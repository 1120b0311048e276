import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { digestArtifact, type Inspection, type InspectTask } from './digest-artifact.ts';
import { DigestThread } from './digest-thread.ts';

/**
 * Digests and lists large artifacts in a worker thread, while this thread reads from the network. Small ones are
 * processed on this thread, which is cheaper than transferring them and compiling the same code twice.
 */
export interface DigestWorkerPool {
  open(task: InspectTask): Inspection;
  close(): void;
}

/** Bytes of a large artifact, and the total bytes of large artifacts from which starting a thread pays off. */
const LARGE = 256 * 1024;
const START_THREAD_FROM = 16_000_000;

/** Milliseconds without a sign of life, after which the thread of a server is replaced. */
const PATIENCE = 10_000;

/** The worker's program, next to the built command line; null if it is not built. */
function workerProgram(): string | null {
  const file = fileURLToPath(new URL('./digest-worker.cjs', import.meta.url));
  return existsSync(file) ? file : null;
}

/**
 * @param threads false to stay on this thread
 * @param file the worker's program
 */
export function openDigestWorkerPool(threads: boolean, file = threads ? workerProgram() : null): DigestWorkerPool {
  let thread: DigestThread | null = null;
  let bytes = 0;
  return {
    open(task) {
      const size = task.packedBytes ?? 0;
      if (file === null || size < LARGE) return digestArtifact(task);
      bytes += size;
      if (bytes >= START_THREAD_FROM) thread ??= new DigestThread(file);
      return thread?.isReady ? thread.open(task) : digestArtifact(task);
    },
    close: () => thread?.close(),
  };
}

/**
 * All artifacts are processed in one worker thread, which is started when it is needed, and replaced if it fails: a
 * server has to respond meanwhile, whatever is in an archive. Without the worker's program, on this thread.
 */
export function openServerDigestPool(file = workerProgram(), patience = PATIENCE): DigestWorkerPool {
  let thread: DigestThread | null = null;
  return {
    open(task) {
      if (file === null) return digestArtifact(task);
      if (thread === null || thread.hasFailed) thread = new DigestThread(file, patience);
      return thread.open(task);
    },
    close: () => thread?.close(),
  };
}
