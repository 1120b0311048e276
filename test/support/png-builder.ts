import { crc32, deflateSync } from 'node:zlib';

/** Building blocks for PNG files, whole and broken. */

export const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

export function chunk(type: string, data: Uint8Array = Buffer.alloc(0), crcError = 0): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE((crc32(body) ^ crcError) >>> 0, 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

export interface HeaderFields {
  width?: number;
  height?: number;
  depth?: number;
  colour?: number;
  interlace?: number;
}

export function header({ width = 4, height = 4, depth = 8, colour = 6, interlace = 0 }: HeaderFields = {}): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth, colour, 0, 0, interlace], 8);
  return chunk('IHDR', data);
}

/** Pixel data that inflates to this number of bytes; the default header requires 68. */
export function pixels(bytes = 68): Buffer {
  return chunk('IDAT', deflateSync(Buffer.alloc(bytes)));
}

export const END = chunk('IEND');

export function png(...chunks: Uint8Array[]): Buffer {
  return Buffer.concat([SIGNATURE, ...chunks]);
}

export const PNG = png(header(), pixels(), END);
