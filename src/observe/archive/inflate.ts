import { constants, createInflateRaw, type InflateRaw } from 'node:zlib';
import { type SyncInflate, syncInflateOf } from '../../platform/sync-inflate.ts';

const OUTPUT_CHUNK = 128 * 1024;
/** Expansion ratio of a portion from which the next one goes to zlib's thread. */
const GROWTH = 2;
/** zlib's state takes 40 KB and is slow to allocate, so that streams are reused. */
const MAX_SPARE = 32;
const spare: ReusedStream[] = [];
let output: Buffer | null = null;

/** A stream of node:zlib with the functions that its events currently call. */
interface ReusedStream {
  stream: InflateRaw;
  onData: ((data: Buffer) => void) | null;
  onFailure: ((message: string) => void) | null;
}

function openStream(): ReusedStream {
  const stream = createInflateRaw({ chunkSize: OUTPUT_CHUNK, flush: constants.Z_SYNC_FLUSH });
  const reused: ReusedStream = { stream, onData: null, onFailure: null };
  stream.on('data', (data: Buffer) => reused.onData?.(data));
  stream.on('error', ({ message }: Error) => reused.onFailure?.(message));
  stream.on('close', () => reused.onFailure?.('closed'));
  return reused;
}

/**
 * Inflates deflate data. Data that hardly grows (archives of images, compressed code) is inflated on this thread: a
 * round trip to zlib's thread takes longer than the work. Data that grows more goes to zlib's thread.
 */
export class Inflater {
  private readonly sink: (data: Buffer) => void;
  private readonly reused: ReusedStream = spare.pop() ?? openStream();
  private isClosed = false;
  /** Whether the stream's own thread was used. */
  private isStreamed = false;
  private grows = false;

  /** @param sink takes inflated bytes, which are overwritten after it returns; it may close */
  constructor(sink: (data: Buffer) => void) {
    this.sink = sink;
    this.reused.onData = sink;
  }

  /**
   * The number of bytes consumed (fewer than given: the deflate data has ended), or zlib's error message. Await a
   * returned promise before the next call.
   */
  write(bytes: Uint8Array): number | string | Promise<number | string> {
    const sync = this.grows ? null : syncInflateOf(this.reused.stream);
    return sync ? this.inflateHere(bytes, sync) : this.inflateInThread(bytes);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.reused.onData = null;
    const { stream } = this.reused;
    // A stream cannot be reused after the end of the deflate data.
    if (this.isStreamed || stream.destroyed || spare.length >= MAX_SPARE) {
      stream.destroy();
      return;
    }
    stream.reset();
    spare.push(this.reused);
  }

  private inflateHere(bytes: Uint8Array, sync: SyncInflate): number | string {
    const into = (output ??= Buffer.allocUnsafeSlow(OUTPUT_CHUNK));
    let used = 0;
    let unpacked = 0;
    for (;;) {
      const { inputLeft, outputLeft } = sync.inflate(bytes, used, into);
      const { errored } = this.reused.stream;
      if (errored) return errored.message;
      const outputLength = OUTPUT_CHUNK - outputLeft;
      used = bytes.length - inputLeft;
      unpacked += outputLength;
      if (outputLength > 0) this.sink(into.subarray(0, outputLength));
      if (this.isClosed || outputLength < OUTPUT_CHUNK) break;
    }
    this.grows = unpacked > GROWTH * bytes.length;
    return used;
  }

  private inflateInThread(bytes: Uint8Array): Promise<number | string> {
    const { reused } = this;
    const { stream } = reused;
    const before = stream.bytesWritten;
    this.isStreamed = true;
    return new Promise((resolve) => {
      reused.onFailure = resolve;
      stream.write(bytes, (error) => resolve(error ? error.message : stream.bytesWritten - before));
    });
  }
}

/** Portions of one size. Unused ones are kept for reuse: this memory is slow to collect and to allocate. */
interface PortionPool {
  readonly size: number;
  readonly spare: Buffer[];
}

/** Compressed bytes that are passed to zlib together. */
export const LARGE_PORTIONS: PortionPool = { size: 256 * 1024, spare: [] };
/** The same for files of unknown length, and for those that are inflated on this thread. */
export const SMALL_PORTIONS: PortionPool = { size: 128 * 1024, spare: [] };
const SPARE_PORTIONS = 32;
const NOTHING = new Uint8Array(0);

/**
 * Collects chunks into portions of one size: passing each chunk to zlib's thread by itself costs as much as inflating
 * it.
 */
export class Portions {
  private readonly size: number;
  private readonly spare: Buffer[];
  private readonly consume: (portion: Buffer) => Promise<boolean>;
  private portion: Buffer | null = null;
  private filled = 0;

  /** @param consume takes a portion, which is reused when it resolves; false if no further one is wanted */
  constructor({ size, spare }: PortionPool, consume: (portion: Buffer) => Promise<boolean>) {
    this.size = size;
    this.spare = spare;
    this.consume = consume;
  }

  /** Takes bytes, which may be reused when it returns. Await a returned promise before the next call. */
  write(chunk: Uint8Array): Promise<void> | undefined {
    this.portion ??= this.spare.pop() ?? Buffer.allocUnsafeSlow(this.size);
    if (this.filled + chunk.length >= this.size) return this.fill(this.portion, chunk);
    this.portion.set(chunk, this.filled);
    this.filled += chunk.length;
    return undefined;
  }

  /** Passes on an incomplete portion. */
  async flush(): Promise<void> {
    const { portion, filled } = this;
    this.filled = 0;
    if (portion && filled > 0) await this.consume(portion.subarray(0, filled));
  }

  /** Releases the memory. */
  close(): void {
    if (this.portion && this.spare.length < SPARE_PORTIONS) this.spare.push(this.portion);
    this.portion = null;
  }

  /** Appends the chunk to the portion, and passes the portion on each time it is full. */
  private async fill(portion: Buffer, chunk: Uint8Array): Promise<void> {
    const first = chunk.subarray(0, this.size - this.filled);
    portion.set(first, this.filled);
    // The caller may reuse the chunk before the portion is consumed.
    let rest: Uint8Array = chunk.length === first.length ? NOTHING : Buffer.from(chunk.subarray(first.length));
    this.filled += first.length;
    while (this.filled === this.size) {
      if (!(await this.consume(portion))) return;
      const part = rest.subarray(0, this.size);
      portion.set(part);
      this.filled = part.length;
      rest = rest.subarray(part.length);
    }
  }
}
