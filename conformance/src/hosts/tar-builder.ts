import { gzipSync } from 'node:zlib';

/** Building blocks for archives, honest and hostile: every field of a header can be set to what no tool would write. */

export interface HeaderFields {
  path: string | Uint8Array;
  size?: number | Uint8Array;
  /** Type flag. */
  type?: string;
  link?: string;
  mode?: number | string;
  prefix?: string;
  /** Magic and version, 8 characters. */
  magic?: string;
  /** Added to the right checksum. */
  checksumError?: number;
}

const POSIX = 'ustar\u000000';
export const GNU = 'ustar  \u0000';
export const V7 = '\0'.repeat(8);

export function header(fields: HeaderFields): Buffer {
  const block = Buffer.alloc(512);
  const { mode = 0o644, size = 0, type = '0' } = fields;
  Buffer.from(fields.path).copy(block, 0, 0, 100);
  block.write(typeof mode === 'string' ? mode : octal(mode, 8), 100, 8, 'latin1');
  block.write(octal(0, 8) + octal(0, 8), 108, 16, 'latin1');
  if (typeof size === 'number') block.write(octal(size, 12), 124, 12, 'latin1');
  else block.set(size, 124);
  block.write(octal(0, 12), 136, 12, 'latin1');
  block.write(type, 156, 1, 'latin1');
  if (fields.link !== undefined) block.write(fields.link, 157, 100, 'utf8');
  block.write(fields.magic ?? POSIX, 257, 8, 'latin1');
  if (fields.prefix !== undefined) block.write(fields.prefix, 345, 155, 'utf8');
  block.fill(' ', 148, 156);
  const sum = block.reduce((all, byte) => all + byte, 0) + (fields.checksumError ?? 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8, 'latin1');
  return block;
}

/** A header with its data, padded to whole blocks. The size is that of the data by default. */
export function entry(
  path: string | Uint8Array,
  data: string | Uint8Array = '',
  more: Partial<HeaderFields> = {},
): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([header({ path, size: bytes.length, ...more }), padded(bytes)]);
}

/** A PAX header for the entry behind it, or with type 'g' for all. */
export function pax(records: Record<string, string>, type = 'x'): Buffer {
  return rawPax(Buffer.concat(Object.entries(records).map(([key, value]) => paxRecord(key, value))), type);
}
export function rawPax(records: string | Uint8Array, type = 'x'): Buffer {
  return entry('PaxHeader/x', records, { type });
}
export function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

/** GNU's long name ('L') or long link ('K') in front of an entry. */
export function gnuLong(name: string, type = 'L'): Buffer {
  return entry('././@LongLink', `${name}\0`, { type, magic: GNU });
}

/** The end mark, and as many zero blocks more as wanted. */
export function endMark(extraBlocks = 0): Buffer {
  return Buffer.alloc(1024 + extraBlocks * 512);
}

/** A .tar.gz of the parts, with the end mark behind them. */
export function tgz(...parts: Uint8Array[]): Buffer {
  return gzipSync(Buffer.concat([...parts, endMark()]));
}
/** A .tar.gz of the parts as they are. */
export function tgzOpen(...parts: Uint8Array[]): Buffer {
  return gzipSync(Buffer.concat(parts));
}

/** A number in base-256, as GNU tar writes numbers that are too large for octal. */
export function base256(value: bigint, length = 12): Buffer {
  const bytes = Buffer.alloc(length);
  let rest = value;
  for (let i = length - 1; i >= 0; i -= 1) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  bytes[0] = value < 0n ? 0xff : 0x80;
  return bytes;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}
