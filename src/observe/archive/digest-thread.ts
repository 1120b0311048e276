import { Worker } from 'node:worker_threads';
import type {
  Inspected,
  Inspection,
  InspectTask,
  Piece,
  PieceResult,
  ThreadMessage,
  ThreadReply,
} from './digest-artifact.ts';

/** Bytes of a piece. */
const PIECE_BYTES = 256 * 1024;
/** Pieces in flight; at this number senders wait. Those being filled are not counted, or all senders might wait. */
const MAX_IN_FLIGHT = 24;
/** Of one artifact: the thread may wait long for its detectors, and others must not wait for that. */
const MAX_OF_ONE = 6;
/** Milliseconds between two pings. */
const PING_INTERVAL = 1000;

/** The thread has ended before it returned the facts about an artifact. */
export class InspectionLost extends Error {
  override name = 'InspectionLost';
}

interface PendingResult {
  resolve(facts: Inspected): void;
  reject(error: Error): void;
}

/** A worker thread that digests and lists artifacts, with the memory in which it gets their bytes. */
export class DigestThread {
  private readonly worker: Worker;
  private readonly patience: number;
  private readonly pending = new Map<number, PendingResult>();
  private readonly inFlight = new Map<number, number>();
  private readonly spare: ArrayBuffer[] = [];
  private readonly waiting: (() => void)[] = [];
  private total = 0;
  private nextId = 0;
  private isOnline = false;
  private failure: Error | null = null;
  private pingTimer: NodeJS.Timeout | null = null;
  private answeredAt = 0;

  /**
   * @param file the worker's program (digest-worker.ts)
   * @param patience milliseconds after which a thread that does not return a ping is ended
   */
  constructor(file: string, patience = Infinity) {
    this.patience = patience;
    this.worker = new Worker(file);
    this.worker.on('online', () => {
      this.isOnline = true;
    });
    this.worker.on('message', (reply: ThreadReply) => this.onReply(reply));
    this.worker.on('error', (error) => this.fail(new InspectionLost(error.message, { cause: error })));
    this.worker.on('exit', () => this.fail(new InspectionLost('the worker thread that reads artifacts has exited')));
  }

  get isReady(): boolean {
    return this.isOnline && this.failure === null;
  }

  get hasFailed(): boolean {
    return this.failure !== null;
  }

  open(task: InspectTask): Inspection {
    const id = this.nextId;
    this.nextId += 1;
    return new ThreadInspection(this, id, task);
  }

  close(): void {
    this.stopPings();
    void this.worker.terminate();
  }

  /** Memory for a piece of an artifact; null if too many pieces are in flight. */
  memory(id: number): Uint8Array<ArrayBuffer> | null {
    if (this.total >= MAX_IN_FLIGHT || (this.inFlight.get(id) ?? 0) >= MAX_OF_ONE) return null;
    return new Uint8Array(this.spare.pop() ?? new ArrayBuffer(PIECE_BYTES));
  }

  /** Resolves when a piece has returned, of any artifact. */
  async untilReturned(): Promise<void> {
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  post(piece: Piece): void {
    if (this.failure !== null) return;
    this.total += 1;
    this.inFlight.set(piece.id, (this.inFlight.get(piece.id) ?? 0) + 1);
    this.startPings();
    this.send(piece, [piece.bytes.buffer]);
  }

  /** The facts about an artifact, once its last piece was posted. */
  result(id: number): Promise<Inspected> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => this.pending.set(id, { resolve, reject }));
  }

  private send(message: ThreadMessage, transferred: ArrayBuffer[] = []): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.worker.postMessage(message, transferred);
  }

  private onReply(reply: ThreadReply): void {
    this.answeredAt = performance.now();
    if (reply !== 'ping') this.onResult(reply);
  }

  private onResult({ id, memory, facts }: PieceResult): void {
    this.total -= 1;
    const own = (this.inFlight.get(id) ?? 1) - 1;
    if (own > 0) this.inFlight.set(id, own);
    else this.inFlight.delete(id);
    if (memory.byteLength === PIECE_BYTES) this.spare.push(memory);
    if (this.total === 0) this.stopPings();
    // Those that still have to wait check that themselves.
    for (const resume of this.waiting.splice(0)) resume();
    if (facts === null) return;
    this.pending.get(id)?.resolve(facts);
    this.pending.delete(id);
  }

  /** While pieces are in flight: a piece of bytes must not block the thread for ever. */
  private startPings(): void {
    if (this.pingTimer !== null || this.patience === Infinity) return;
    this.answeredAt = performance.now();
    let pingedAt = performance.now();
    this.pingTimer = setInterval(() => {
      const now = performance.now();
      // If this thread was blocked, replies are waiting to be read.
      if (now - pingedAt > 2 * PING_INTERVAL) this.answeredAt = now;
      pingedAt = now;
      if (this.isOnline && now - this.answeredAt > this.patience) return this.endUnresponsive();
      this.send('ping');
    }, PING_INTERVAL).unref();
  }

  private stopPings(): void {
    if (this.pingTimer !== null) clearInterval(this.pingTimer);
    this.pingTimer = null;
  }

  private endUnresponsive(): void {
    this.fail(new InspectionLost(`the worker thread that reads artifacts did not respond for ${this.patience} ms`));
    void this.worker.terminate();
  }

  private fail(error: Error): void {
    this.stopPings();
    this.failure ??= error;
    for (const pending of this.pending.values()) pending.reject(this.failure);
    this.pending.clear();
    this.inFlight.clear();
    this.total = 0;
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
      if (this.thread.hasFailed) return null;
      this.piece ??= this.thread.memory(this.id);
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
