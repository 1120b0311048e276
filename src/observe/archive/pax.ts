import { type Name, readName } from './header.ts';

/** The fields that a PAX extended header sets for the next entry; absent if not set. */
export interface Pax {
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
export function readPax(bytes: Buffer): Pax {
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
