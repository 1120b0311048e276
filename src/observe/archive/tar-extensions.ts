import type { ArchiveEntry } from '../../core/facts/facts.ts';
import {
  isZero,
  type Name,
  readName,
  type TarHeader,
  type TarNotes,
  DATALESS,
  ENTRY_TYPES,
  PATH_LIMIT,
} from './tar-header.ts';

/** The extended headers in front of an entry: PAX records, and GNU's long names. */
export class TarExtensions {
  private readonly notes: TarNotes;
  private paxRecords: Pax | null = null;
  private longPath: Name | null = null;
  private longLink: Name | null = null;

  constructor(notes: TarNotes) {
    this.notes = notes;
  }

  get pax(): Pax | null {
    return this.paxRecords;
  }

  get isEmpty(): boolean {
    return this.paxRecords === null && this.longPath === null && this.longLink === null;
  }

  /** The first name that they set, or null. */
  get firstName(): string | null {
    return (this.paxRecords?.path ?? this.longPath ?? this.longLink)?.text ?? null;
  }

  pathOf(header: TarHeader): Name {
    return this.paxRecords?.path ?? this.longPath ?? header.path;
  }

  linkOf(header: TarHeader): Name {
    return this.paxRecords?.link ?? this.longLink ?? header.link;
  }

  /** True if the two formats set different names for one entry. */
  get namesDiffer(): boolean {
    const { path, link } = this.paxRecords ?? {};
    return isOtherName(path, this.longPath) || isOtherName(link, this.longLink);
  }

  /**
   * Takes the data of an extended header.
   * @param type its type flag: `L` and `K` for long names, `g` for a PAX header for all entries, otherwise PAX
   */
  add(type: string, bytes: Buffer): void {
    if (type === 'L' || type === 'K') this.addLongName(type, bytes);
    else this.addPax(type, bytes);
  }

  clear(): void {
    this.paxRecords = null;
    this.longPath = null;
    this.longLink = null;
  }

  private addLongName(type: 'L' | 'K', bytes: Buffer): void {
    const name = readName(bytes, 0, bytes.length);
    const zero = bytes.indexOf(0);
    if (zero !== -1 && !isZero(bytes.subarray(zero))) this.notes.add('path-with-nul', name.text);
    const earlier = type === 'L' ? this.longPath : this.longLink;
    if (earlier !== null) this.notes.add('extension-twice', name.text);
    if (type === 'L') this.longPath = name;
    else this.longLink = name;
  }

  private addPax(type: string, bytes: Buffer): void {
    const { notes } = this;
    const records = readPax(bytes);
    const path = records.path?.text ?? null;
    for (const code of records.oddities) notes.add(code, path);
    if (type === 'g') {
      const name = records.path ?? records.link;
      if (name) notes.add('path-for-all', name.text);
      if (records.size !== undefined) notes.add('pax-size-for-all', null);
      return;
    }
    if (this.paxRecords !== null) notes.add('extension-twice', path);
    this.paxRecords = records;
  }
}

function isOtherName(inPax: Name | undefined, long: Name | null): boolean {
  return inPax !== undefined && long !== null && inPax.text !== long.text;
}

/** The fields that a PAX extended header sets for the next entry; absent if not set. */
interface Pax {
  path?: Name;
  link?: Name;
  /** NaN if it is not a number. */
  size?: number;
  sparse: boolean;
  /** Oddities of this header itself. */
  oddities: ('pax-record-broken' | 'path-with-nul' | 'path-empty' | 'path-differs')[];
}

// Matches text inside a record's value that a reader splitting by lines would take for a record.
const HIDDEN_RECORD = /\n\d+ (path|linkpath|size|GNU\.sparse\.[a-z]+)=/;

/**
 * Reads the records `LENGTH KEY=VALUE\n` of a PAX header (POSIX pax, Extended Header). Only the keys that decide what
 * an entry is are kept; times, owners, comments and attributes are ignored.
 */
function readPax(bytes: Buffer): Pax {
  const pax: Pax = { sparse: false, oddities: [] };
  const seen = new Set<string>();
  let at = 0;
  while (at < bytes.length && bytes[at] !== 0) {
    const space = bytes.indexOf(0x20, at);
    const digits = space === -1 || space - at > 10 ? '' : bytes.toString('latin1', at, space);
    const end = at + Number(digits);
    const equals = bytes.indexOf(0x3d, space);
    const isComplete = /^[1-9]\d*$/.test(digits) && bytes[end - 1] === 0x0a;
    if (!isComplete || equals === -1 || equals >= end - 1 || equals === space + 1) {
      pax.oddities.push('pax-record-broken');
      return pax;
    }
    const key = bytes.toString('utf8', space + 1, equals);
    const value = bytes.subarray(equals + 1, end - 1);
    if (HIDDEN_RECORD.test(value.toString('latin1'))) pax.oddities.push('pax-record-broken');
    applyRecord(pax, key, value, seen);
    at = end;
  }
  return pax;
}

function applyRecord(pax: Pax, key: string, value: Buffer, seen: Set<string>): void {
  if (key.startsWith('GNU.sparse.')) pax.sparse = true;
  if (key !== 'path' && key !== 'linkpath' && key !== 'size') return;
  if (seen.has(key)) pax.oddities.push('path-differs');
  seen.add(key);
  if (key === 'size') {
    const text = value.toString('latin1');
    pax.size = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return;
  }
  if (value.length === 0) pax.oddities.push('path-empty');
  if (value.includes(0)) pax.oddities.push('path-with-nul');
  pax[key === 'path' ? 'path' : 'link'] = readName(value, 0, value.length);
}

/**
 * An entry as its header and extended headers describe it; what readers disagree about is noted.
 * @param size the bytes of data that readers expect after the header
 */
export function describeEntry(
  header: TarHeader,
  size: number,
  extensions: TarExtensions,
  notes: TarNotes,
): ArchiveEntry {
  const name = extensions.pathOf(header);
  const linkName = extensions.linkOf(header);
  const path = name.text.slice(0, PATH_LIMIT);
  const type = entryType(header, name);
  const isLink = type === 'link' || type === 'symlink';
  const { pax } = extensions;
  if (header.strayPrefix) notes.add('prefix-without-ustar', path);
  if (extensions.namesDiffer) notes.add('path-differs', path);
  if (pax?.link && !isLink) notes.add('link-on-file', path);
  if (pax?.sparse || header.type === 'S') notes.add('sparse-file', path);
  else if (type === 'other') notes.add('unknown-type', path);
  if (pax?.size !== undefined && paxSizeDiffers(pax.size, header.size)) notes.add('pax-size-differs', path);
  if (!hasData(type) && size > 0) notes.add('data-without-file', path);
  if (name.text.length > PATH_LIMIT || linkName.text.length > PATH_LIMIT) notes.add('path-too-long', path);
  if (!name.utf8 || (isLink && !linkName.utf8)) notes.add('name-not-utf8', path);
  if (Number.isNaN(header.mode)) notes.add('number-unreadable', path);
  const link = isLink ? linkName.text.slice(0, PATH_LIMIT) : null;
  return { path, type, size, mode: header.mode > 0 ? header.mode : 0, link };
}

/** True if data follows the header of an entry of this type. */
export function hasData(type: ArchiveEntry['type']): boolean {
  return !DATALESS.has(type);
}

function entryType(header: TarHeader, name: Name): ArchiveEntry['type'] {
  const type = ENTRY_TYPES[header.type] ?? 'other';
  return type === 'file' && name.text.endsWith('/') ? 'directory' : type;
}

/** A size that 11 octal digits cannot hold is only in the PAX header; the header's own field is then 0. */
function paxSizeDiffers(inPax: number, inHeader: number): boolean {
  if (Number.isNaN(inPax)) return true;
  return inPax !== inHeader && !(inHeader === 0 && inPax >= 8 ** 11);
}
