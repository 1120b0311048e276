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
