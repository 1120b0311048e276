import type { OnReadOpts, Socket } from 'node:net';

/**
 * Reads from a socket into reused memory: a stream would allocate each piece of 16 KB (a TLS record), queue it and emit
 * it at the next tick, which costs more than hashing it.
 */
export interface ReusedReadBuffer {
  /** For `connect`. */
  onread: OnReadOpts;
  /** Makes the socket emit `readable` for received data at once, and makes `read` return it. */
  attach(socket: Socket): void;
  /**
   * Whether received data is lent and overwritten by the next; otherwise `read` copies it. Set it only during a body:
   * the client retains parts of incomplete headers.
   */
  isLending: boolean;
}

const BYTES = 65_536;
/** Shared by all sockets: received data is consumed, or copied, before more can arrive. */
let memory: Buffer | null = null;

/** True for bytes that the next read overwrites. */
export function isBorrowed({ buffer }: Uint8Array): boolean {
  return buffer === memory?.buffer;
}

/** Creates a buffer for one socket. */
export function openReusedReadBuffer(): ReusedReadBuffer {
  const buffer = (memory ??= Buffer.allocUnsafeSlow(BYTES));
  let socket: Socket | null = null;
  let received: Buffer | null = null;
  const readBuffer: ReusedReadBuffer = {
    onread: {
      buffer,
      callback(count) {
        if (socket === null) throw new Error('The read buffer is not attached to a socket.');
        received = buffer.subarray(0, count);
        socket.emit('readable');
        if (received === null) return true;
        // Nothing consumed it, so it is queued in the stream, and further reads are paused.
        const kept = Buffer.from(received);
        received = null;
        socket.push(kept);
        return false;
      },
    },
    attach(attached) {
      socket = attached;
      const { read, unshift } = attached;
      attached.read = (size?: number): unknown => {
        if (received === null || size === 0 || attached.readableLength > 0) return read.call(attached, size);
        const taken = readBuffer.isLending ? received : Buffer.from(received);
        received = null;
        return taken;
      };
      attached.unshift = (chunk: Buffer): void =>
        unshift.call(attached, isBorrowed(chunk) ? Buffer.from(chunk) : chunk);
    },
    isLending: false,
  };
  return readBuffer;
}
