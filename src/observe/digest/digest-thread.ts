import { Worker } from 'node:worker_threads';
import type { Inspected, Inspection, InspectTask } from './digest-artifact.ts';
import type { Piece, PieceResult } from './digest-messages.ts';

/** Bytes of a piece. */
const PIECE_BYTES = 256 * 1024;
/** Pieces in flight; at this number senders wait. Those being filled are not counted, or all senders might wait. */
const MAX_IN_FLIGHT = 24;

interface PendingResult {
  resolve(facts: Inspected): void;
  reject(error: Error): void;
}

/** A worker thread that digests and lists artifacts, with the memory in which it gets their bytes. */
export class DigestThread {
  private readonly worker: Worker;
  private readonly results = new Map<number, PendingResult>();
  private readonly spare: ArrayBuffer[] = [];
  private readonly waiting: (() => void)[] = [];
  private inFlight = 0;
  private nextId = 0;
  private isOnline = false;
  private failure: Error | null = null;

  /** @param file the worker's program (digest-worker.ts) */
  constructor(file: string) {
    this.worker = new Worker(file);
    this.worker.on('online', () => {
      this.isOnline = true;
    });
    this.worker.on('message', (result: PieceResult) => this.onResult(result));
    this.worker.on('error', (error) => this.fail(error));
    this.worker.on('exit', () => this.fail(new Error('the worker thread that reads artifacts has exited')));
  }

  get isReady(): boolean {
    return this.isOnline && this.failure === null;
  }

  open(task: InspectTask): Inspection {
    const id = this.nextId;
    this.nextId += 1;
    return new ThreadInspection(this, id, task);
  }

  close(): void {
    void this.worker.terminate();
  }

  /** Memory for a piece; null if too many pieces are in flight. */
  memory(): Uint8Array<ArrayBuffer> | null {
    if (this.inFlight >= MAX_IN_FLIGHT) return null;
    return new Uint8Array(this.spare.pop() ?? new ArrayBuffer(PIECE_BYTES));
  }

  /** Resolves when a piece has returned. */
  async untilReturned(): Promise<void> {
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  post(piece: Piece): void {
    this.inFlight += 1;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.worker.postMessage(piece, [piece.bytes.buffer]);
  }

  /** The facts about an artifact, once its last piece was posted. */
  result(id: number): Promise<Inspected> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => this.results.set(id, { resolve, reject }));
  }

  private onResult({ id, memory, facts }: PieceResult): void {
    this.inFlight -= 1;
    if (memory.byteLength === PIECE_BYTES) this.spare.push(memory);
    this.waiting.shift()?.();
    if (facts === null) return;
    this.results.get(id)?.resolve(facts);
    this.results.delete(id);
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const pending of this.results.values()) pending.reject(this.failure);
    this.results.clear();
    this.inFlight = 0;
    for (const resume of this.waiting.splice(0)) resume();
  }
}

/** Sends the bytes of one artifact to the thread, in pieces. */
class ThreadInspection implements Inspection {
  private readonly thread: DigestThread;
  private readonly id: number;
  /** Null once the first piece was posted. */
  private task: InspectTask | null;
  private piece: Uint8Array<ArrayBuffer> | null = null;
  private filled = 0;

  constructor(thread: DigestThread, id: number, task: InspectTask) {
    this.thread = thread;
    this.id = id;
    this.task = task;
  }

  write(chunk: Uint8Array): void | Promise<void> {
    const rest = this.fill(chunk);
    // The caller may reuse the chunk before there is memory for the rest.
    return rest === null ? undefined : this.fillLater(Buffer.from(rest));
  }

  end(): Promise<Inspected> {
    const result = this.thread.result(this.id);
    this.post('end');
    return result;
  }

  drop(): void {
    this.post('drop');
  }

  /** Posts each piece that is full; returns the bytes for which there is no memory, or null. */
  private fill(chunk: Uint8Array): Uint8Array | null {
    let rest = chunk;
    while (rest.length > 0) {
      this.piece ??= this.thread.memory();
      if (this.piece === null) return rest;
      const part = rest.subarray(0, PIECE_BYTES - this.filled);
      this.piece.set(part, this.filled);
      this.filled += part.length;
      rest = rest.subarray(part.length);
      if (this.filled === PIECE_BYTES) this.post(null);
    }
    return null;
  }

  private async fillLater(chunk: Uint8Array): Promise<void> {
    let rest: Uint8Array | null = chunk;
    while (rest !== null) {
      await this.thread.untilReturned();
      rest = this.fill(rest);
    }
  }

  private post(last: Piece['last']): void {
    const bytes = (this.piece ?? new Uint8Array(0)).subarray(0, this.filled);
    this.thread.post({ id: this.id, bytes, task: this.task, last });
    this.task = null;
    this.piece = null;
    this.filled = 0;
  }
}
