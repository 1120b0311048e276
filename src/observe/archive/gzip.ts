import { crc32 } from 'node:zlib';
import type { ArchiveFacts } from '../../core/facts/facts.ts';
import { type Inflating, inflating } from './inflate.ts';

/**
 * The gzip layer, member by member. Node's own Gunzip joins members, ignores zeros behind them and calls all else
 * corrupt; here the frame (RFC 1952) is read by hand, so that each of these is a fact of its own. Only the deflate
 * data between header and trailer goes through zlib: at once where the whole file is small, else off the main thread, in
 * bounded portions. A portion is gathered from many chunks, since each trip to the thread and back costs as much as
 * unpacking a chunk does.
 */
export interface GzipReader {
  /** Takes the next packed bytes, which may be reused when it returns. A promise is to be waited for before the next call. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Unpacks what is left. */
  end(): Promise<void>;
  /** Stop unpacking: whatever comes is ignored. */
  stop(): void;
  readonly members: number;
  readonly fault: ArchiveFacts['fault'];
  /** Bytes behind the last member, and whether all of them are zero, which most readers take for padding. */
  readonly trailing: { bytes: number; zeros: boolean } | null;
}

const HEADER_LIMIT = 128 * 1024;
/** Packed bytes that are handed to zlib together. */
const PORTION = 256 * 1024;
/** The same of a file whose length nobody tells, and the largest that is unpacked on this thread. */
const SMALL = 128 * 1024;
/** Portions that nobody uses: memory of this kind is slow to be collected, and slow to be had anew. */
const spareSmall: Buffer[] = [];
const spareLarge: Buffer[] = [];
const SPARE = 32;
const TRAILER_BYTES = 8;
const NOTHING = new Uint8Array(0);
// Flag bits of the header: checksum, extra field, file name, comment. Bits 5 to 7 must be zero.
const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;
const RESERVED = 0xe0;

/**
 * @param sink takes unpacked bytes, synchronously, and may call `stop`
 * @param expected bytes that will come, where that is known
 */
export function createGzipReader(sink: (data: Buffer) => void, expected: number | null = null): GzipReader {
  let state: 'header' | 'body' | 'trailer' | 'behind' | 'done' = 'header';
  let pending: Uint8Array = new Uint8Array(0);
  let offset = 0;
  /** Where the member at hand starts: how far zlib got before it complained depends on how the bytes came in. */
  let start = 0;
  let members = 0;
  let fault: ArchiveFacts['fault'] = null;
  let trailing: GzipReader['trailing'] = null;
  let body: Inflating | null = null;
  let crc = 0;
  let length = 0;
  const size = expected === null || expected < SMALL ? SMALL : PORTION;
  const spare = size === SMALL ? spareSmall : spareLarge;
  let portion: Buffer | null = null;
  let filled = 0;

  function fail(code: string, message: string, at = offset): void {
    fault ??= { layer: 'gzip', code, message, offset: at };
    close();
  }

  function close(): void {
    state = 'done';
    body?.close();
    body = null;
  }

  function isDone(): boolean {
    return state === 'done';
  }

  function take(data: Buffer): void {
    if (state === 'done') return;
    crc = crc32(data, crc);
    length = (length + data.length) >>> 0;
    sink(data);
  }

  /** Bytes behind the last member that are no further member. */
  function behind(bytes: Uint8Array): void {
    trailing ??= { bytes: 0, zeros: true };
    trailing.bytes += bytes.length;
    if (trailing.zeros) trailing.zeros = bytes.every((byte) => byte === 0);
  }

  /** Reads a member's header off the front of `bytes`: the rest of them, or null when it needs more or is none. */
  function header(bytes: Uint8Array): Uint8Array | null {
    const size = headerSize(bytes);
    if (size === 'invalid' || (size === 'more' && bytes.length > HEADER_LIMIT)) {
      if (members > 0) {
        state = 'behind';
        behind(bytes);
      } else fail('header', 'the gzip header is not valid');
      return null;
    }
    if (size === 'more') {
      pending = Buffer.from(bytes);
      return null;
    }
    members += 1;
    start = offset;
    offset += size;
    crc = 0;
    length = 0;
    state = 'body';
    return bytes.subarray(size);
  }

  async function inflate(bytes: Uint8Array): Promise<Uint8Array | null> {
    body ??= inflating(take);
    const answer = body.write(bytes);
    const used = typeof answer === 'object' ? await answer : answer;
    // The sink may have stopped the pass meanwhile.
    if ((state as string) === 'done') return null;
    if (typeof used === 'string') {
      fail('corrupt', `the compressed data is broken (${used})`, start);
      return null;
    }
    offset += used;
    if (used === bytes.length) return null;
    body?.close();
    body = null;
    state = 'trailer';
    return bytes.subarray(used);
  }

  function trailer(bytes: Uint8Array): Uint8Array | null {
    if (bytes.length < TRAILER_BYTES) {
      pending = Buffer.from(bytes);
      return null;
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, TRAILER_BYTES);
    if (view.getUint32(0, true) !== crc)
      fail('crc', 'the checksum inside the gzip data does not fit the unpacked bytes');
    else if (view.getUint32(4, true) !== length) fail('length', 'the length inside the gzip data does not fit');
    if (fault !== null) return null;
    offset += TRAILER_BYTES;
    state = 'header';
    return bytes.subarray(TRAILER_BYTES);
  }

  return {
    get members() {
      return members;
    },
    get fault() {
      return fault;
    },
    get trailing() {
      return trailing;
    },
    write(chunk) {
      if (state === 'done') return undefined;
      portion ??= spare.pop() ?? Buffer.allocUnsafeSlow(size);
      if (filled + chunk.length >= size) return fill(chunk);
      portion.set(chunk, filled);
      filled += chunk.length;
      return undefined;
    },
    async end() {
      if (filled > 0 && !isDone()) await consume(portion!.subarray(0, filled));
      if (state === 'body' || state === 'trailer') fail('truncated', 'the gzip data ends too early');
      if (state === 'header' && pending.length > 0) {
        if (members > 0) behind(pending);
        else fail('truncated', 'the gzip header ends too early');
      }
      close();
      if (portion && spare.length < SPARE) spare.push(portion);
      portion = null;
    },
    stop: close,
  };

  /** Fills the portion, as often as the chunk does, and consumes it. */
  async function fill(chunk: Uint8Array): Promise<void> {
    const first = chunk.subarray(0, size - filled);
    portion!.set(first, filled);
    let rest: Uint8Array = chunk.length === first.length ? NOTHING : Buffer.from(chunk.subarray(first.length));
    filled += first.length;
    while (filled === size && !isDone()) {
      await consume(portion!);
      const part = rest.subarray(0, size);
      portion!.set(part);
      filled = part.length;
      rest = rest.subarray(part.length);
    }
  }

  async function consume(chunk: Uint8Array): Promise<void> {
    let rest: Uint8Array | null = chunk;
    if (pending.length > 0) {
      rest = Buffer.concat([pending, chunk]);
      pending = new Uint8Array(0);
    }
    while (rest !== null && rest.length > 0) {
      if (state === 'header') rest = header(rest);
      else if (state === 'body') rest = await inflate(rest);
      else if (state === 'trailer') rest = trailer(rest);
      else {
        if (state === 'behind') behind(rest);
        return;
      }
    }
  }
}

/** Bytes of the gzip header at the front, or 'more' when it is not all there, or 'invalid'. */
function headerSize(bytes: Uint8Array): number | 'more' | 'invalid' {
  if (bytes[0] !== 0x1f) return 'invalid';
  if (bytes.length > 1 && bytes[1] !== 0x8b) return 'invalid';
  if (bytes.length > 2 && bytes[2] !== 8) return 'invalid';
  const flags = bytes[3] ?? 0;
  if ((flags & RESERVED) !== 0) return 'invalid';
  if (bytes.length < 12) return bytes.length >= 10 && flags === 0 ? 10 : 'more';
  let at = 10;
  if (flags & FEXTRA) at += 2 + bytes[10]! + bytes[11]! * 256;
  for (const flag of [FNAME, FCOMMENT]) {
    if ((flags & flag) === 0) continue;
    const zero = bytes.indexOf(0, at);
    if (zero === -1) return 'more';
    at = zero + 1;
  }
  if (flags & FHCRC) at += 2;
  return at <= bytes.length ? at : 'more';
}
