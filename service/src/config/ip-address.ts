/**
 * Classifies IP addresses by their bytes, since their text has too many spellings (RFC 4291 section 2.2). Based on the
 * IANA special-purpose address registries (RFC 6890).
 */

export type AddressKind =
  | 'public'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'multicast'
  | 'reserved'
  /** IPv6 with an embedded IPv4 address: translation could bypass a list of IPv4 addresses. */
  | 'embedding'
  | 'unknown';

type Block = readonly [prefix: readonly number[], bits: number, kind: AddressKind];

const V4: readonly Block[] = [
  [[0], 8, 'unspecified'],
  [[10], 8, 'private'],
  [[100, 64], 10, 'private'],
  [[127], 8, 'loopback'],
  [[169, 254], 16, 'link-local'],
  [[172, 16], 12, 'private'],
  [[192, 0, 0], 24, 'reserved'],
  [[192, 0, 2], 24, 'reserved'],
  [[192, 88, 99], 24, 'embedding'],
  [[192, 168], 16, 'private'],
  [[198, 18], 15, 'reserved'],
  [[198, 51, 100], 24, 'reserved'],
  [[203, 0, 113], 24, 'reserved'],
  [[224], 4, 'multicast'],
  [[240], 4, 'reserved'],
];

/** IPv6 allocates only 2000::/3 to the public; the first match applies. */
const V6: readonly Block[] = [
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 128, 'unspecified'],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128, 'loopback'],
  // ::/96 (IPv4-compatible), ::ffff:0:0/96 (mapped), ::ffff:0:0:0/96 (translated): all of ::/64 except the two above.
  [[0, 0, 0, 0, 0, 0, 0, 0], 64, 'embedding'],
  // 64:ff9b::/96 and 64:ff9b:1::/48 (NAT64).
  [[0, 0x64, 0xff, 0x9b], 32, 'embedding'],
  // Teredo; the rest of 2001::/23 is for protocols: ORCHID, benchmarking, anycast.
  [[0x20, 0x01, 0, 0], 32, 'embedding'],
  [[0x20, 0x01, 0], 23, 'reserved'],
  [[0x20, 0x01, 0x0d, 0xb8], 32, 'reserved'],
  // 6to4.
  [[0x20, 0x02], 16, 'embedding'],
  [[0x3f, 0xff, 0], 20, 'reserved'],
  [[0x20], 3, 'public'],
  [[0xfc], 7, 'private'],
  [[0xfe, 0x80], 10, 'link-local'],
  [[0xfe, 0xc0], 10, 'private'],
  [[0xff], 8, 'multicast'],
];

/** @param text an address without brackets, as given by a socket, a name server or the host of a URL */
export function addressKind(text: string): AddressKind {
  const bytes = addressBytes(text);
  if (bytes === null) return 'unknown';
  const block = (bytes.length === 4 ? V4 : V6).find(([prefix, bits]) => isIn(bytes, prefix, bits));
  return block?.[2] ?? (bytes.length === 4 ? 'public' : 'reserved');
}

function isIn(bytes: readonly number[], prefix: readonly number[], bits: number): boolean {
  return bytes.every((byte, i) => {
    const remaining = bits - i * 8;
    if (remaining <= 0) return true;
    const mask = remaining >= 8 ? 0xff : (0xff << (8 - remaining)) & 0xff;
    return (byte & mask) === ((prefix[i] ?? 0) & mask);
  });
}

/** Four or sixteen bytes, or null for an invalid address. A zone is ignored: it names a link of this machine. */
export function addressBytes(text: string): number[] | null {
  return text.includes(':') ? bytesOfV6(text.replace(/%.*$/s, '')) : bytesOfV4(text);
}

function bytesOfV4(text: string): number[] | null {
  // Other notations (hexadecimal, octal, fewer parts) are normalized by the URL parser, and not guessed here.
  if (!/^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/.test(text)) return null;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : null;
}

function bytesOfV6(text: string): number[] | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head, tail] = halves.map((half) => (half === '' ? [] : groupsIn(half)));
  if (!head || tail === null) return null;
  const gap = 16 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? gap !== 0 : gap < 2) return null;
  return [...head, ...Array.from({ length: gap }, () => 0), ...(tail ?? [])];
}

/** The bytes of colon-separated groups, the last of which may be an IPv4 address. */
function groupsIn(text: string): number[] | null {
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [i, group] of groups.entries()) {
    const v4 = i === groups.length - 1 && group.includes('.') ? bytesOfV4(group) : null;
    if (v4) bytes.push(...v4);
    else if (/^[0-9a-f]{1,4}$/i.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255);
    else return null;
  }
  return bytes;
}
