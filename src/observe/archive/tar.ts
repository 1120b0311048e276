import type { ArchiveEntry, ArchiveFacts } from '../../core/facts/facts.ts';
import { kindOf } from '../../core/text/file-type.ts';
import { ENTRY_TYPES, type TarNotes, createNotes, DATALESS, PATH_LIMIT } from './notes.ts';
import { BLOCK, isZero, type Name, readHeader, readName, type TarHeader } from './header.ts';
import { type Pax, readPax } from './pax.ts';

/**
 * A strict incremental reader of tar (POSIX ustar and pax, GNU long names), in constant memory. It lists entries; it
 * keeps no data and writes no file. Anything that other readers are known to disagree about is recorded as an oddity,
 * and reading continues.
 */
export interface TarReader {
  write(data: Buffer): void;
  /** All data was written. */
  end(): void;
  readonly fault: ArchiveFacts['fault'];
  readonly stopped: 'entries' | 'header-bytes' | null;
  /** Bytes from the first non-zero one after the end mark. */
  readonly trailing: number;
  readonly entries: ArchiveEntry[];
  readonly entryCount: number;
  readonly notes: TarNotes;
}
export interface TarLimits {
  entries: number;
  /** Bytes of one extended header. */
  headerBytes: number;
  /** Bytes of all extended headers in total. */
  headerBytesInAll: number;
}

export function createTarReader(limits: TarLimits): TarReader {
  const entries: ArchiveEntry[] = [];
  const notes = createNotes();
  const block = Buffer.alloc(BLOCK);
  let filled = 0;
  let position = 0;
  let mode: 'header' | 'data' | 'extension' | 'ended' | 'done' = 'header';
  /** Bytes of data still expected, including the padding to a whole block. */
  let remaining = 0;
  let zeroBlocks = 0;
  let trailingFrom = -1;
  let entryCount = 0;
  let fault: ArchiveFacts['fault'] = null;
  let stopped: TarReader['stopped'] = null;
  let extensionType = '';
  let extensionSize = 0;
  let extensionBytes = 0;
  let parts: Buffer[] = [];
  let pax: Pax | null = null;
  let longPath: Name | null = null;
  let longLink: Name | null = null;

  function fail(code: string, message: string): void {
    fault ??= { layer: 'tar', code, message, offset: position };
    mode = 'done';
  }

  function onBlock(): void {
    if (mode === 'ended') return behind();
    if (isZero(block)) {
      zeroBlocks += 1;
      if (zeroBlocks === 2) mode = 'ended';
      return;
    }
    if (zeroBlocks === 1) {
      // Some readers stop at a single zero block, some continue.
      mode = 'ended';
      return behind();
    }
    const header = readHeader(block);
    if (header !== null) return onHeader(header);
    if (entryCount === 0 && pax === null && longPath === null && longLink === null) return noTar();
    fail('header-checksum', `the checksum of the header at byte ${position} does not fit`);
  }

  function behind(): void {
    if (trailingFrom === -1) {
      if (isZero(block)) return;
      trailingFrom = position;
    }
    if (notes.has('entries-after-end') || readHeader(block) === null) return;
    notes.add('entries-after-end', readName(block, 0, 100).text);
  }

  function noTar(): void {
    const kind = kindOf(block.subarray(0, filled));
    if (kind === 'gzip') fail('gzip-inside', 'the unpacked data is gzip again: it was compressed twice');
    else fail('no-tar', `the unpacked data is no tar archive (it looks like: ${kind})`);
  }

  function onHeader(header: TarHeader): void {
    const { type } = header;
    const isExtension = 'xXgLK'.includes(type);
    const size = !isExtension && pax?.size !== undefined && !Number.isNaN(pax.size) ? pax.size : header.size;
    if (Number.isNaN(header.size))
      return fail('size-unreadable', `the size in the header at byte ${position} is no number`);
    if (size < 0) return fail('size-negative', `the size in the header at byte ${position} is negative`);
    if (size > Number.MAX_SAFE_INTEGER)
      return fail('size-too-large', `the size at byte ${position} is beyond all bounds`);
    if (!isExtension) return onEntry(header, size);
    extensionBytes += size;
    if (size > limits.headerBytes || extensionBytes > limits.headerBytesInAll) {
      stopped = 'header-bytes';
      mode = 'done';
      return;
    }
    extensionType = type;
    extensionSize = size;
    parts = [];
    expect('extension', size);
    if (size === 0) onExtension(Buffer.alloc(0));
  }

  function expect(next: 'data' | 'extension', size: number): void {
    remaining = Math.ceil(size / BLOCK) * BLOCK;
    mode = remaining > 0 ? next : 'header';
  }

  function onExtension(bytes: Buffer): void {
    if (extensionType === 'L' || extensionType === 'K') {
      const name = readName(bytes, 0, bytes.length);
      const zero = bytes.indexOf(0);
      if (zero !== -1 && !isZero(bytes.subarray(zero))) notes.add('path-with-nul', name.text);
      if ((extensionType === 'L' ? longPath : longLink) !== null) notes.add('extension-twice', name.text);
      if (extensionType === 'L') longPath = name;
      else longLink = name;
      return;
    }
    const records = readPax(bytes);
    for (const code of records.oddities) notes.add(code, records.path?.text ?? null);
    if (extensionType === 'g') {
      if (records.path || records.link) notes.add('path-for-all', (records.path ?? records.link)!.text);
      if (records.size !== undefined) notes.add('pax-size-for-all', null);
      return;
    }
    if (pax !== null) notes.add('extension-twice', records.path?.text ?? null);
    pax = records;
  }

  function onEntry(header: TarHeader, size: number): void {
    entryCount += 1;
    if (entryCount > limits.entries) {
      stopped = 'entries';
      mode = 'done';
      return;
    }
    const name = pax?.path ?? longPath ?? header.path;
    const linkName = pax?.link ?? longLink ?? header.link;
    const path = name.text.slice(0, PATH_LIMIT);
    let type: ArchiveEntry['type'] = ENTRY_TYPES[header.type] ?? 'other';
    if (type === 'file' && name.text.endsWith('/')) type = 'directory';
    const hasData = !DATALESS.has(type);
    const isLink = type === 'link' || type === 'symlink';
    const link = isLink ? linkName.text.slice(0, PATH_LIMIT) : null;
    if (header.strayPrefix) notes.add('prefix-without-ustar', path);
    if (pax?.path && longPath && pax.path.text !== longPath.text) notes.add('path-differs', path);
    if (pax?.link && longLink && pax.link.text !== longLink.text) notes.add('path-differs', path);
    if (pax?.link && !isLink) notes.add('link-on-file', path);
    if (pax?.sparse || header.type === 'S') notes.add('sparse-file', path);
    else if (type === 'other') notes.add('unknown-type', path);
    if (pax?.size !== undefined && paxSizeDiffers(pax.size, header.size)) notes.add('pax-size-differs', path);
    if (!hasData && size > 0) notes.add('data-without-file', path);
    if (name.text.length > PATH_LIMIT || linkName.text.length > PATH_LIMIT) notes.add('path-too-long', path);
    if (!name.utf8 || (isLink && !linkName.utf8)) notes.add('name-not-utf8', path);
    if (Number.isNaN(header.mode)) notes.add('number-unreadable', path);
    entries.push({ path, type, size, mode: header.mode > 0 ? header.mode : 0, link });
    pax = null;
    longPath = null;
    longLink = null;
    expect('data', hasData ? size : 0);
  }

  /** Consumes from the front of `data` what the current mode expects, and returns the number of bytes. */
  function consume(data: Buffer): number {
    if (mode === 'data' || mode === 'extension') {
      const taken = Math.min(remaining, data.length);
      if (mode === 'extension') parts.push(Buffer.from(data.subarray(0, taken)));
      remaining -= taken;
      position += taken;
      if (remaining === 0) {
        const done = mode;
        mode = 'header';
        if (done === 'extension') onExtension(Buffer.concat(parts).subarray(0, extensionSize));
        parts = done === 'extension' ? [] : parts;
      }
      return taken;
    }
    const taken = Math.min(BLOCK - filled, data.length);
    data.copy(block, filled, 0, taken);
    filled += taken;
    if (filled === BLOCK) {
      onBlock();
      filled = 0;
      position += BLOCK;
    }
    return taken;
  }

  function end(): void {
    if (mode === 'done') return;
    const left = block.subarray(0, filled);
    const isHeaderCut = mode === 'header' && filled > 0 && !isZero(left);
    if (mode === 'ended') {
      if (trailingFrom === -1 && !isZero(left)) trailingFrom = position;
      position += filled;
    } else if (isHeaderCut && entryCount === 0 && pax === null && longPath === null && longLink === null) noTar();
    else if (position + filled === 0) fail('empty', 'nothing is inside the gzip data');
    else if (isHeaderCut || mode !== 'header') fail('truncated', 'the tar archive ends in the middle of an entry');
    else notes.add('no-end-mark', null);
    if (pax !== null || longPath !== null || longLink !== null) {
      if (zeroBlocks > 0) notes.add('extension-unused', (pax?.path ?? longPath ?? longLink)?.text ?? null);
      else fail('truncated', 'the tar archive ends behind an extended header');
    }
    if (trailingFrom !== -1 && !notes.has('entries-after-end')) notes.add('bytes-after-end', null);
  }

  return {
    write(data) {
      let at = 0;
      while (at < data.length && mode !== 'done') at += consume(at === 0 ? data : data.subarray(at));
    },
    end,
    get fault() {
      return fault;
    },
    get stopped() {
      return stopped;
    },
    get trailing() {
      return trailingFrom === -1 ? 0 : position - trailingFrom;
    },
    get entryCount() {
      return entryCount;
    },
    entries,
    notes,
  };
}

/** A size that 11 octal digits cannot hold is only in the PAX header; the header's own field is then 0. */
function paxSizeDiffers(inPax: number, inHeader: number): boolean {
  if (Number.isNaN(inPax)) return true;
  return inPax !== inHeader && !(inHeader === 0 && inPax >= 8 ** 11);
}
