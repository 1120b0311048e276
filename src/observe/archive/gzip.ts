import { crc32 } from 'node:zlib';
import type { ArchiveFacts } from '../../core/facts/facts.ts';
import { Inflater, LARGE_PORTIONS, Portions, SMALL_PORTIONS } from './inflate.ts';

const HEADER_LIMIT = 128 * 1024;
const TRAILER_BYTES = 8;
const NOTHING = new Uint8Array(0);

/** Role of the next bytes. `ended`: no member follows; `done`: no further bytes are read. */
type State = 'header' | 'body' | 'trailer' | 'ended' | 'done';

/**
 * The gzip layer, member by member. Node's own Gunzip joins members, ignores zeros after them and reports all else as
 * corrupt. This reader parses the framing (RFC 1952) itself, so that each of these is a separate fact. Only the deflate
 * data between header and trailer goes through zlib, off the main thread, in bounded portions.
 */
export class GzipReader {
  members = 0;
  fault: ArchiveFacts['fault'] = null;
  /** Bytes after the last member, and whether all of them are zero, which most readers accept as padding. */
  trailing: { bytes: number; zeros: boolean } | null = null;
  private readonly sink: (data: Buffer) => void;
  private readonly portions: Portions;
  private state: State = 'header';
  /** An incomplete header or trailer. */
  private pending: Uint8Array = NOTHING;
  private offset = 0;
  /** Offset of the current member. How far zlib got before an error depends on the chunking. */
  private memberStart = 0;
  private inflater: Inflater | null = null;
  /** Of the current member. */
  private crc = 0;
  private length = 0;

  /**
   * @param sink takes inflated bytes synchronously, and may call `stop`
   * @param expected total number of bytes, if known
   */
  constructor(sink: (data: Buffer) => void, expected: number | null = null) {
    this.sink = sink;
    const isSmall = expected === null || expected < SMALL_PORTIONS.size;
    this.portions = new Portions(isSmall ? SMALL_PORTIONS : LARGE_PORTIONS, async (portion) => {
      await this.consume(portion);
      return !this.isDone();
    });
  }

  /** Takes compressed bytes, which may be reused when it returns. Await a returned promise before the next call. */
  write(chunk: Uint8Array): Promise<void> | undefined {
    return this.isDone() ? undefined : this.portions.write(chunk);
  }

  /** Inflates what is left. */
  async end(): Promise<void> {
    if (!this.isDone()) await this.portions.flush();
    if (this.state === 'body' || this.state === 'trailer') this.fail('truncated', 'the gzip data ends too early');
    if (this.state === 'header' && this.pending.length > 0) {
      if (this.members > 0) this.addTrailing(this.pending);
      else this.fail('truncated', 'the gzip header ends too early');
    }
    this.stop();
    this.portions.close();
  }

  /** Stops inflating; further input is ignored. */
  stop(): void {
    this.state = 'done';
    this.closeInflater();
  }

  private isDone(): boolean {
    return this.state === 'done';
  }

  private async consume(portion: Uint8Array): Promise<void> {
    let rest: Uint8Array | null = portion;
    if (this.pending.length > 0) {
      rest = Buffer.concat([this.pending, portion]);
      this.pending = NOTHING;
    }
    while (rest !== null && rest.length > 0) {
      if (this.state === 'header') rest = this.readHeader(rest);
      else if (this.state === 'body') rest = await this.inflate(rest);
      else if (this.state === 'trailer') rest = this.readTrailer(rest);
      else {
        if (this.state === 'ended') this.addTrailing(rest);
        return;
      }
    }
  }

  /** Consumes a member header from the front of `bytes`; the rest, or null if it is incomplete or not a header. */
  private readHeader(bytes: Uint8Array): Uint8Array | null {
    const size = gzipHeaderSize(bytes);
    if (size === 'invalid' || (size === 'more' && bytes.length > HEADER_LIMIT)) {
      if (this.members > 0) {
        this.state = 'ended';
        this.addTrailing(bytes);
      } else this.fail('header', 'the gzip header is not valid');
      return null;
    }
    if (size === 'more') {
      this.pending = Buffer.from(bytes);
      return null;
    }
    this.members += 1;
    this.memberStart = this.offset;
    this.offset += size;
    this.crc = 0;
    this.length = 0;
    this.state = 'body';
    return bytes.subarray(size);
  }

  /** Inflates deflate data from the front of `bytes`; the rest, or null if there is none. */
  private async inflate(bytes: Uint8Array): Promise<Uint8Array | null> {
    this.inflater ??= new Inflater((data) => this.takeInflated(data));
    const used = await this.inflater.write(bytes);
    // The sink may have called `stop` meanwhile.
    if (this.isDone()) return null;
    if (typeof used === 'string') {
      this.fail('corrupt', `the compressed data is corrupt (${used})`, this.memberStart);
      return null;
    }
    this.offset += used;
    if (used === bytes.length) return null;
    this.closeInflater();
    this.state = 'trailer';
    return bytes.subarray(used);
  }

  private takeInflated(data: Buffer): void {
    if (this.isDone()) return;
    this.crc = crc32(data, this.crc);
    this.length = (this.length + data.length) >>> 0;
    this.sink(data);
  }

  private readTrailer(bytes: Uint8Array): Uint8Array | null {
    if (bytes.length < TRAILER_BYTES) {
      this.pending = Buffer.from(bytes);
      return null;
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, TRAILER_BYTES);
    if (view.getUint32(0, true) !== this.crc)
      this.fail('crc', 'the checksum in the gzip data does not match the unpacked bytes');
    else if (view.getUint32(4, true) !== this.length)
      this.fail('length', 'the length in the gzip data does not match the unpacked bytes');
    if (this.fault !== null) return null;
    this.offset += TRAILER_BYTES;
    this.state = 'header';
    return bytes.subarray(TRAILER_BYTES);
  }

  /** Records bytes after the last member that do not start another member. */
  private addTrailing(bytes: Uint8Array): void {
    this.trailing ??= { bytes: 0, zeros: true };
    this.trailing.bytes += bytes.length;
    if (this.trailing.zeros) this.trailing.zeros = bytes.every((byte) => byte === 0);
  }

  private closeInflater(): void {
    this.inflater?.close();
    this.inflater = null;
  }

  private fail(code: string, message: string, offset = this.offset): void {
    this.fault ??= { layer: 'gzip', code, message, offset };
    this.stop();
  }
}

// Flag bits of the header: checksum, extra field, file name, comment. Bits 5 to 7 must be zero.
const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;
const RESERVED = 0xe0;

/** Length of the gzip header (RFC 1952 section 2.3) at the front, 'more' if it is incomplete, or 'invalid'. */
export function gzipHeaderSize(bytes: Uint8Array): number | 'more' | 'invalid' {
  const [id1, id2 = 0x8b, method = 8, flags = 0] = bytes;
  if (id1 !== 0x1f || id2 !== 0x8b || method !== 8 || (flags & RESERVED) !== 0) return 'invalid';
  if (bytes.length < 12) return bytes.length >= 10 && flags === 0 ? 10 : 'more';
  let at = 10;
  if (flags & FEXTRA) at += 2 + new DataView(bytes.buffer, bytes.byteOffset).getUint16(10, true);
  for (const flag of [FNAME, FCOMMENT]) {
    if ((flags & flag) === 0) continue;
    const zero = bytes.indexOf(0, at);
    if (zero === -1) return 'more';
    at = zero + 1;
  }
  if (flags & FHCRC) at += 2;
  return at <= bytes.length ? at : 'more';
}
