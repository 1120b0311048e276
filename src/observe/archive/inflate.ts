import { constants, createInflateRaw, type InflateRaw } from 'node:zlib';

const OUTPUT_CHUNK = 128 * 1024;

/** Inflates deflate data on zlib's thread. */
export class Inflater {
  private readonly stream: InflateRaw;
  private onFailure: ((message: string) => void) | null = null;

  /** @param sink takes inflated bytes; it may close */
  constructor(sink: (data: Buffer) => void) {
    this.stream = createInflateRaw({ chunkSize: OUTPUT_CHUNK, flush: constants.Z_SYNC_FLUSH });
    this.stream.on('data', sink);
    this.stream.on('error', ({ message }) => this.onFailure?.(message));
    this.stream.on('close', () => this.onFailure?.('closed'));
  }

  /**
   * The number of bytes consumed (fewer than given: the deflate data has ended), or zlib's error message. Await it
   * before the next call.
   */
  write(bytes: Uint8Array): Promise<number | string> {
    const { stream } = this;
    const before = stream.bytesWritten;
    return new Promise((resolve) => {
      this.onFailure = resolve;
      stream.write(bytes, (error) => resolve(error ? error.message : stream.bytesWritten - before));
    });
  }

  close(): void {
    this.stream.removeAllListeners('data');
    this.stream.destroy();
  }
}

/** Portions of one size. Unused ones are kept for reuse: this memory is slow to collect and to allocate. */
interface PortionPool {
  readonly size: number;
  readonly spare: Buffer[];
}

/** Compressed bytes that are passed to zlib together. */
export const LARGE_PORTIONS: PortionPool = { size: 256 * 1024, spare: [] };
/** The same for files of unknown length, and for small ones. */
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
