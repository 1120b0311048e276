import { crc32 } from 'node:zlib';
import type { ArchiveFacts } from '../../core/facts/facts.ts';
import { type Inflating, inflating } from './inflate.ts';

/**
 * The gzip layer, member by member. Node's own Gunzip joins members, ignores zeros after them and reports all else as
 * corrupt. This reader parses the framing (RFC 1952) itself, so that each of these is a separate fact. Only the deflate
 * data between header and trailer goes through zlib: in one call for small files, otherwise off the main thread in
 * bounded portions. A portion is collected from many chunks, since a round trip to the thread costs as much as
 * inflating a chunk.
 */
export interface GzipReader {
  /** Takes compressed bytes, which may be reused when it returns. Await a returned promise before the next call. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Inflates what is left. */
  end(): Promise<void>;
  /** Stops inflating; further input is ignored. */
  stop(): void;
  readonly members: number;
  readonly fault: ArchiveFacts['fault'];
  /** Bytes after the last member, and whether all of them are zero, which most readers accept as padding. */
  readonly trailing: { bytes: number; zeros: boolean } | null;
}

const HEADER_LIMIT = 128 * 1024;
/** Compressed bytes that are passed to zlib together. */
const PORTION = 256 * 1024;
/** The same for files of unknown length, and the size up to which a file is inflated on this thread. */
const SMALL = 128 * 1024;
/** Unused portions, kept for reuse: this memory is slow to collect and to allocate. */
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
 * @param sink takes inflated bytes synchronously, and may call `stop`
 * @param expected total number of bytes, if known
 */
export function createGzipReader(sink: (data: Buffer) => void, expected: number | null = null): GzipReader {
  let state: 'header' | 'body' | 'trailer' | 'behind' | 'done' = 'header';
  let pending: Uint8Array = new Uint8Array(0);
  let offset = 0;
  /** Offset of the current member. How far zlib got before an error depends on the chunking. */
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

  /** Records bytes after the last member that do not start another member. */
  function behind(bytes: Uint8Array): void {
    trailing ??= { bytes: 0, zeros: true };
    trailing.bytes += bytes.length;
    if (trailing.zeros) trailing.zeros = bytes.every((byte) => byte === 0);
  }

  /** Consumes a member header from the front of `bytes`; the rest, or null if it is incomplete or not a header. */
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
    // The sink may have called `stop` meanwhile.
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

  /** Appends the chunk to the portion, and consumes the portion each time it is full. */
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

/** Length of the gzip header at the front, 'more' if it is incomplete, or 'invalid'. */
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
