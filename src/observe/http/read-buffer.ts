import type { OnReadOpts, Socket } from 'node:net';

/**
 * Reading off a socket into memory that is used again and again: a stream would allocate each piece of 16 KB (a TLS
 * record), queue it and tell of it at the next tick, which costs more than hashing it.
 */
export interface ReusedReadBuffer {
  /** For `connect`. */
  onread: OnReadOpts;
  /** Has the socket's `readable` tell of what has come at once, and its `read` hand it out. */
  attach(socket: Socket): void;
  /**
   * Whether what comes is lent, to be overwritten by what comes next; else `read` makes memory of its own for it. To be
   * set while a body comes: the client keeps parts of headers that are not all there yet.
   */
  isLending: boolean;
}

const BYTES = 65_536;
/** One for all sockets: what has come is taken, or copied, before anything else can come. */
let memory: Buffer | null = null;

/** True for bytes that are overwritten by what comes next. */
export function isBorrowed({ buffer }: Uint8Array): boolean {
  return buffer === memory?.buffer;
}

export function openReusedReadBuffer(): ReusedReadBuffer {
  const buffer = (memory ??= Buffer.allocUnsafeSlow(BYTES));
  let socket: Socket | null = null;
  let come: Buffer | null = null;
  const reading: ReusedReadBuffer = {
    onread: {
      buffer,
      callback(count) {
        come = buffer.subarray(0, count);
        socket!.emit('readable');
        if (come === null) return true;
        // Nobody took it, so it waits in the stream, and what is to follow waits on the way.
        const kept = Buffer.from(come);
        come = null;
        socket!.push(kept);
        return false;
      },
    },
    attach(made) {
      socket = made;
      const { read, unshift } = made;
      made.read = (size?: number): unknown => {
        if (come === null || size === 0 || made.readableLength > 0) return read.call(made, size) as unknown;
        const taken = reading.isLending ? come : Buffer.from(come);
        come = null;
        return taken;
      };
      made.unshift = (chunk: Buffer): void => unshift.call(made, isBorrowed(chunk) ? Buffer.from(chunk) : chunk);
    },
    isLending: false,
  };
  return reading;
}
