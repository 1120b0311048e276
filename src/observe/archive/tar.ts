import type { ArchiveEntry, ArchiveFacts } from '../../core/facts/facts.ts';
import { kindOf } from '../../core/text/file-type.ts';
import { BLOCK, isZero, readHeader, readName, type TarHeader, createNotes, type TarNotes } from './tar-header.ts';
import { describeEntry, hasData, TarExtensions } from './tar-extensions.ts';

export interface TarLimits {
  entries: number;
  /** Bytes of one extended header. */
  headerBytes: number;
  /** Bytes of all extended headers in total. */
  headerBytesInAll: number;
}

/** Takes the content of entries; called for those with data, in the archive's order. */
export interface EntryContent {
  /** @param size bytes of the data; what is written beyond them is padding */
  open(path: string, size: number): void;
  /** The bytes may be reused when it returns. */
  write(bytes: Buffer): void;
}

/** Role of the next bytes. `ended`: after the end marker; `done`: no further bytes are read. */
type Mode = 'header' | 'data' | 'extension' | 'ended' | 'done';

/** Type flags of extended headers. */
const EXTENSION_TYPES = 'xXgLK';

/**
 * A strict incremental reader of tar (POSIX ustar and pax, GNU long names), in constant memory. It lists entries; it
 * keeps no data and writes no file. Anything that other readers are known to disagree about is recorded as an oddity,
 * and reading continues.
 */
export class TarReader {
  readonly entries: ArchiveEntry[] = [];
  readonly notes: TarNotes = createNotes();
  fault: ArchiveFacts['fault'] = null;
  stopped: 'entries' | 'header-bytes' | null = null;
  entryCount = 0;
  private readonly limits: TarLimits;
  private readonly extensions = new TarExtensions(this.notes);
  private readonly block = Buffer.alloc(BLOCK);
  /** Bytes in the block. */
  private filled = 0;
  /** Offset of the block. */
  private position = 0;
  private mode: Mode = 'header';
  /** Bytes of data still expected, including the padding to a whole block. */
  private remaining = 0;
  private zeroBlocks = 0;
  /** Offset of the first non-zero block after the end marker; -1 if there is none. */
  private trailingFrom = -1;
  /** The extended header that is being read, and the bytes of all. */
  private extension: { type: string; size: number; parts: Buffer[] } = { type: '', size: 0, parts: [] };
  private extensionBytes = 0;

  private readonly content: EntryContent | null;

  constructor(limits: TarLimits, content: EntryContent | null = null) {
    this.limits = limits;
    this.content = content;
  }

  /** Bytes from the first non-zero block after the end marker. */
  get trailing(): number {
    return this.trailingFrom === -1 ? 0 : this.position - this.trailingFrom;
  }

  write(data: Buffer): void {
    let at = 0;
    while (at < data.length && this.mode !== 'done') at += this.consume(at === 0 ? data : data.subarray(at));
  }

  /** All data was written. */
  end(): void {
    if (this.mode === 'done') return;
    this.checkEnd(this.block.subarray(0, this.filled));
    if (!this.extensions.isEmpty) {
      if (this.zeroBlocks > 0) this.notes.add('extension-unused', this.extensions.firstName);
      else this.fail('truncated', 'the tar archive ends after an extended header');
    }
    if (this.trailingFrom !== -1 && !this.notes.has('entries-after-end')) this.notes.add('bytes-after-end', null);
  }

  /** @param rest the bytes of an incomplete block */
  private checkEnd(rest: Buffer): void {
    if (this.mode === 'ended') {
      if (this.trailingFrom === -1 && !isZero(rest)) this.trailingFrom = this.position;
      this.position += rest.length;
      return;
    }
    const isHeaderCut = this.mode === 'header' && rest.length > 0 && !isZero(rest);
    if (isHeaderCut && this.isFirst()) this.failNoTar();
    else if (this.position + rest.length === 0) this.fail('empty', 'the gzip data is empty');
    else if (isHeaderCut || this.mode !== 'header')
      this.fail('truncated', 'the tar archive ends in the middle of an entry');
    else this.notes.add('no-end-marker', null);
  }

  /** Consumes from the front of `data` what the current mode expects, and returns the number of bytes. */
  private consume(data: Buffer): number {
    if (this.mode === 'data' || this.mode === 'extension') return this.consumeData(data);
    const taken = Math.min(BLOCK - this.filled, data.length);
    data.copy(this.block, this.filled, 0, taken);
    this.filled += taken;
    if (this.filled === BLOCK) {
      this.onBlock();
      this.filled = 0;
      this.position += BLOCK;
    }
    return taken;
  }

  private consumeData(data: Buffer): number {
    const isExtension = this.mode === 'extension';
    const taken = Math.min(this.remaining, data.length);
    if (isExtension) this.extension.parts.push(Buffer.from(data.subarray(0, taken)));
    else this.content?.write(data.subarray(0, taken));
    this.remaining -= taken;
    this.position += taken;
    if (this.remaining === 0) {
      this.mode = 'header';
      if (isExtension) this.endExtension();
    }
    return taken;
  }

  private onBlock(): void {
    const { block } = this;
    if (this.mode === 'ended') return this.noteTrailing();
    if (isZero(block)) {
      this.zeroBlocks += 1;
      if (this.zeroBlocks === 2) this.mode = 'ended';
      return;
    }
    if (this.zeroBlocks === 1) {
      // Some readers stop at a single zero block, some continue.
      this.mode = 'ended';
      return this.noteTrailing();
    }
    const header = readHeader(block);
    if (header !== null) this.onHeader(header);
    else if (this.isFirst()) this.failNoTar();
    else this.fail('header-checksum', `the checksum of the header at byte ${this.position} does not match`);
  }

  private noteTrailing(): void {
    const { block, notes } = this;
    if (this.trailingFrom === -1) {
      if (isZero(block)) return;
      this.trailingFrom = this.position;
    }
    if (notes.has('entries-after-end') || readHeader(block) === null) return;
    notes.add('entries-after-end', readName(block, 0, 100).text);
  }

  private onHeader(header: TarHeader): void {
    const { position } = this;
    const isExtension = EXTENSION_TYPES.includes(header.type);
    const paxSize = isExtension ? undefined : this.extensions.pax?.size;
    const size = paxSize === undefined || Number.isNaN(paxSize) ? header.size : paxSize;
    if (Number.isNaN(header.size))
      this.fail('size-unreadable', `the size in the header at byte ${position} is not a number`);
    else if (size < 0) this.fail('size-negative', `the size in the header at byte ${position} is negative`);
    else if (size > Number.MAX_SAFE_INTEGER)
      this.fail('size-too-large', `the size at byte ${position} exceeds all limits`);
    else if (isExtension) this.startExtension(header.type, size);
    else this.addEntry(header, size);
  }

  private startExtension(type: string, size: number): void {
    this.extensionBytes += size;
    if (size > this.limits.headerBytes || this.extensionBytes > this.limits.headerBytesInAll)
      return this.stop('header-bytes');
    this.extension = { type, size, parts: [] };
    this.expect('extension', size);
    if (size === 0) this.endExtension();
  }

  private endExtension(): void {
    const { type, size, parts } = this.extension;
    this.extensions.add(type, Buffer.concat(parts).subarray(0, size));
    this.extension = { type: '', size: 0, parts: [] };
  }

  private addEntry(header: TarHeader, size: number): void {
    this.entryCount += 1;
    if (this.entryCount > this.limits.entries) return this.stop('entries');
    const entry = describeEntry(header, size, this.extensions, this.notes);
    this.entries.push(entry);
    this.extensions.clear();
    const dataBytes = hasData(entry.type) ? size : 0;
    if (dataBytes > 0) this.content?.open(entry.path, dataBytes);
    this.expect('data', dataBytes);
  }

  private expect(next: 'data' | 'extension', size: number): void {
    this.remaining = Math.ceil(size / BLOCK) * BLOCK;
    this.mode = this.remaining > 0 ? next : 'header';
  }

  /** True until there is an entry or an extended header. */
  private isFirst(): boolean {
    return this.entryCount === 0 && this.extensions.isEmpty;
  }

  private stop(limit: 'entries' | 'header-bytes'): void {
    this.stopped = limit;
    this.mode = 'done';
  }

  private failNoTar(): void {
    const kind = kindOf(this.block.subarray(0, this.filled));
    if (kind === 'gzip') this.fail('gzip-inside', 'the unpacked data is gzip again: it was compressed twice');
    else this.fail('no-tar', `the unpacked data is not a tar archive (it looks like: ${kind})`);
  }

  private fail(code: string, message: string): void {
    this.fault ??= { layer: 'tar', code, message, offset: this.position };
    this.mode = 'done';
  }
}
