/** Sequences of UTF-8 by their lead byte: the length, and the bounds of the second byte (Unicode standard, table 3-7). */
const SEQUENCES = [
  { first: 0x00, last: 0x7f, length: 1, low: 0x80, high: 0xbf },
  { first: 0xc2, last: 0xdf, length: 2, low: 0x80, high: 0xbf },
  { first: 0xe0, last: 0xe0, length: 3, low: 0xa0, high: 0xbf },
  { first: 0xe1, last: 0xec, length: 3, low: 0x80, high: 0xbf },
  { first: 0xed, last: 0xed, length: 3, low: 0x80, high: 0x9f },
  { first: 0xee, last: 0xef, length: 3, low: 0x80, high: 0xbf },
  { first: 0xf0, last: 0xf0, length: 4, low: 0x90, high: 0xbf },
  { first: 0xf1, last: 0xf3, length: 4, low: 0x80, high: 0xbf },
  { first: 0xf4, last: 0xf4, length: 4, low: 0x80, high: 0x8f },
] as const;

/** The offset of the first byte that is invalid in UTF-8; 0 if there is none. */
export function invalidUtf8Offset(bytes: Uint8Array): number {
  for (let start = 0; start < bytes.length;) {
    const lead = bytes[start] ?? 0;
    const sequence = SEQUENCES.find(({ first, last }) => lead >= first && lead <= last);
    if (sequence === undefined || !isComplete(bytes, start, sequence)) return start;
    start += sequence.length;
  }
  return 0;
}

function isComplete(bytes: Uint8Array, start: number, { length, low, high }: (typeof SEQUENCES)[number]): boolean {
  for (let index = 1; index < length; index++) {
    const byte = bytes[start + index];
    const isFirst = index === 1;
    if (byte === undefined || byte < (isFirst ? low : 0x80) || byte > (isFirst ? high : 0xbf)) return false;
  }
  return true;
}
