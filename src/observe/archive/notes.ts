import type { OddityCode } from '../../core/registry/archive-oddity.ts';
import type { ArchiveEntry, ArchiveFacts } from '../../core/facts/facts.ts';

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

/** Creates an empty list of notes. */
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
