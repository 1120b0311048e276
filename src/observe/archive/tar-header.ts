import { isAscii, isUtf8 } from 'node:buffer';
import type { ArchiveEntry, ArchiveFacts } from '../../core/facts/facts.ts';
import type { OddityCode } from '../../core/registry/archive-policy.ts';

/** One raw tar header block, before extended headers are applied. */
export interface TarHeader {
  path: Name;
  link: Name;
  /** The type flag, as a character. */
  type: string;
  /** Bytes of data; NaN if the field is not a number. May be negative: the reader has to reject that. */
  size: number;
  mode: number;
  /** The prefix field is not empty, although the header's format does not have one: readers differ. */
  strayPrefix: boolean;
}
export interface Name {
  text: string;
  utf8: boolean;
}

export const BLOCK = 512;
const SPACES_OF_CHECKSUM = 8 * 0x20;

/** Parses the header in a block of 512 bytes; null if its checksum does not match (which also means: not a header). */
export function readHeader(block: Buffer): TarHeader | null {
  let sum = SPACES_OF_CHECKSUM;
  for (let i = 0; i < 148; i += 1) sum += block[i]!;
  for (let i = 156; i < BLOCK; i += 1) sum += block[i]!;
  if (readNumber(block, 148, 156) !== sum) return null;
  const magic = block.toString('latin1', 257, 265);
  const ustar = magic === 'ustar\u000000';
  let path = readName(block, 0, 100);
  let strayPrefix = false;
  if (block[345] !== 0) {
    const prefix = readName(block, 345, 500);
    if (ustar) path = { text: `${prefix.text}/${path.text}`, utf8: prefix.utf8 && path.utf8 };
    // GNU's own format stores times there, as octal numbers.
    else strayPrefix = !(magic === 'ustar  \0' && /^[0-7 ]*$/.test(prefix.text));
  }
  return {
    path,
    link: readName(block, 157, 257),
    type: String.fromCharCode(block.readUInt8(156)),
    size: readNumber(block, 124, 136),
    mode: readNumber(block, 100, 108),
    strayPrefix,
  };
}

export function isZero(block: Uint8Array): boolean {
  for (let i = 0; i < block.length; i += 1) if (block[i] !== 0) return false;
  return true;
}

/** Bytes up to the first NUL as text; bytes that are not UTF-8 become U+FFFD. */
export function readName(bytes: Buffer, from: number, to: number): Name {
  const zero = bytes.indexOf(0, from);
  const end = zero === -1 || zero > to ? to : zero;
  const name = bytes.subarray(from, end);
  if (isAscii(name)) return { text: name.toString('latin1'), utf8: true };
  return { text: name.toString('utf8'), utf8: isUtf8(name) };
}

/** A numeric field: octal text, or base-256 if the first byte says so. NaN if it is neither. */
function readNumber(block: Buffer, from: number, to: number): number {
  const first = block.readUInt8(from);
  if (first === 0x80 || first === 0xff) {
    let value = first === 0xff ? -1 : 0;
    for (let i = from + 1; i < to; i += 1) value = value * 256 + block.readUInt8(i);
    return value;
  }
  const text = readName(block, from, to).text.trim();
  if (text === '') return 0;
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

/** Collects what readers disagree about: a few of each code, so that a hostile archive cannot exhaust memory. */
export interface TarNotes {
  add(code: OddityCode, entry: string | null): void;
  has(code: OddityCode): boolean;
  readonly list: ArchiveFacts['oddities'];
}

/** Characters of a path that are kept; no file system accepts longer ones. */
export const PATH_LIMIT = 4096;
const PER_CODE = 10;

/** By type flag; any other flag is 'other'. */
export const ENTRY_TYPES: Partial<Record<string, ArchiveEntry['type']>> = {
  '\0': 'file',
  '0': 'file',
  '1': 'link',
  '2': 'symlink',
  '3': 'character-device',
  '4': 'block-device',
  '5': 'directory',
  '6': 'fifo',
  '7': 'contiguous',
};
/** Types whose header is never followed by data, whatever size it declares. */
export const DATALESS: ReadonlySet<ArchiveEntry['type']> = new Set<ArchiveEntry['type']>([
  'link',
  'symlink',
  'character-device',
  'block-device',
  'directory',
  'fifo',
]);

const MESSAGES: Record<OddityCode, string> = {
  'pax-size-differs': 'its extended header has a different size than its own header',
  'pax-record-broken': 'its extended header contains an invalid record',
  'pax-size-for-all': 'a global header sets one size for all entries',
  'data-without-file': 'it has a size, although its type has no data',
  'sparse-file': 'it is stored as a sparse file, which few tools support',
  'unknown-type': 'not all tools support its type',
  'extension-twice': 'it has two extended headers of the same kind',
  'extension-unused': 'no entry follows an extended header',
  'path-for-all': 'a global header sets one path for all entries',
  'path-empty': 'its extended header sets an empty path',
  'path-with-nul': 'its name contains a NUL, where some tools truncate it',
  'path-differs': 'it has two different names',
  'path-too-long': `its name is longer than ${PATH_LIMIT} characters`,
  'prefix-without-ustar': 'it has a name prefix, which its format does not define',
  'link-on-file': 'its extended header has a link target, although it is not a link',
  'name-not-utf8': 'its name is not UTF-8',
  'number-unreadable': 'its mode is not a number',
  'no-end-marker': 'the two zero blocks that end a tar archive are missing',
  'several-members': 'the gzip file consists of several members',
  'bytes-after-end': 'data follows the end marker of the tar archive',
  'entries-after-end': 'more entries follow the end marker of the tar archive',
  'zeros-after-gzip': 'zero bytes follow the gzip data',
  'bytes-after-gzip': 'bytes that are not gzip data follow it',
};

export function createNotes(): TarNotes {
  const list: ArchiveFacts['oddities'] = [];
  const counts = new Map<OddityCode, number>();
  return {
    add(code, entry) {
      const count = (counts.get(code) ?? 0) + 1;
      counts.set(code, count);
      if (count <= PER_CODE) list.push({ code, entry: entry?.slice(0, PATH_LIMIT) ?? null, message: MESSAGES[code] });
    },
    has: (code) => counts.has(code),
    list,
  };
}
