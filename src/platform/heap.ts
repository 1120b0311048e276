import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Lets the heap grow to four times the live size before a full collection. Streamed data is external to a small heap
 * and becomes garbage immediately; V8 would otherwise run a dozen full collections per second, a sixth of the run time.
 */
export function tuneHeap(): void {
  setFlag('--heap-growing-percent=300', '--heap-growing-percent=0');
}

/**
 * Keeps the young generation of the heap at its current size. A program that makes many short-lived texts would let it
 * grow to 48 MB, although it needs a tenth of that.
 */
export function keepYoungHeapSmall(): void {
  setFlag('--semi-space-growth-factor=1', '--semi-space-growth-factor=2');
}

/** Collects garbage at once: V8 would otherwise let the heap grow by as much again before a collection. */
export function collectGarbage(): void {
  // The engine retains the input of the last regular expression match.
  / /.test(' ');
  setFlag('--expose-gc', '--no-expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc === 'function') gc();
}

/** What sets the flags that were set back to their defaults. */
const RESETS = new Set<string>();

/**
 * Sets a flag of V8 until the end of the process: V8 accepts compiled code only with the flags with which it was kept.
 * @param reset sets its default
 */
function setFlag(flag: string, reset: string): void {
  setFlagsFromString(flag);
  // One listener, since a flag can be set for each of many files.
  if (RESETS.size === 0)
    process.prependOnceListener('exit', () => {
      for (const one of RESETS) setFlagsFromString(one);
    });
  RESETS.add(reset);
}

/** Bytes outside the heap whose memory can be returned at once, without waiting for the garbage collector. */
interface ResizableMemory {
  bytes: Buffer;
  /** Returns the memory; the bytes are gone. */
  free(): void;
}

/** Only a resizable ArrayBuffer returns its memory on request. */
export function allocateResizable(size: number): ResizableMemory {
  const memory = new ArrayBuffer(size, { maxByteLength: size });
  return { bytes: Buffer.from(memory), free: () => memory.resize(0) };
}
