/** Certificate fields that Node does not expose (RFC 5280), read from the DER bytes. */

export interface CertificateExtensions {
  /** pathLenConstraint of basicConstraints: the number of CA certificates that may follow below; null for no limit. */
  pathLength: number | null;
  /** Names of RFC 5280, section 4.2.1.3; null if the extension is absent and usage is not restricted. */
  keyUsage: string[] | null;
  /** Name constraints as `DNS:example.com` and `IP:10.0.0.0/255.0.0.0`; other kinds by their tag number. */
  permitted: string[];
  excluded: string[];
  /** The issuer's signature algorithm; the object identifier in hex if it is not a known one. */
  signature: string;
}

interface Element {
  tag: number;
  content: Uint8Array;
}

const SIGNATURES: Readonly<Record<string, string>> = {
  '2a864886f70d010102': 'md2WithRSA',
  '2a864886f70d010104': 'md5WithRSA',
  '2a864886f70d010105': 'sha1WithRSA',
  '2a864886f70d01010a': 'rsaPss',
  '2a864886f70d01010b': 'sha256WithRSA',
  '2a864886f70d01010c': 'sha384WithRSA',
  '2a864886f70d01010d': 'sha512WithRSA',
  '2a8648ce3d0401': 'sha1WithECDSA',
  '2a8648ce3d040302': 'sha256WithECDSA',
  '2a8648ce3d040303': 'sha384WithECDSA',
  '2a8648ce3d040304': 'sha512WithECDSA',
  '2a864886f70d01010e': 'sha224WithRSA',
  '2a8648ce3d040301': 'sha224WithECDSA',
  '608648016503040301': 'sha224WithDSA',
  '608648016503040302': 'sha256WithDSA',
  '2b6570': 'ed25519',
  '2b6571': 'ed448',
};
/** By the object identifier of the hash. */
const PSS_HASHES: Readonly<Record<string, { name: string; salt: number }>> = {
  '608648016503040201': { name: 'sha256WithRSAPSS', salt: 32 },
  '608648016503040202': { name: 'sha384WithRSAPSS', salt: 48 },
  '608648016503040203': { name: 'sha512WithRSAPSS', salt: 64 },
};
const BASIC_CONSTRAINTS = '551d13';
const KEY_USAGE = '551d0f';
const NAME_CONSTRAINTS = '551d1e';
const USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
];

/** @param der a certificate that OpenSSL has parsed; truncated fields are treated as absent */
export function extensionsOf(der: Uint8Array): CertificateExtensions {
  const [body, algorithm] = elements(elements(der)[0]?.content);
  const list = elements(body?.content).find(({ tag }) => tag === 0xa3);
  const byId = new Map<string, Uint8Array>();
  for (const { content } of elements(elements(list?.content)[0]?.content)) {
    const parts = elements(content);
    const id = parts[0];
    const value = parts.at(-1);
    if (id && value?.tag === 0x04) byId.set(hex(id.content), value.content);
  }
  return {
    pathLength: pathLengthIn(byId.get(BASIC_CONSTRAINTS)),
    keyUsage: keyUsageIn(byId.get(KEY_USAGE)),
    ...constraintsIn(byId.get(NAME_CONSTRAINTS)),
    signature: signatureIn(algorithm),
  };
}

function signatureIn(algorithm: Element | undefined): string {
  const [id, parameters] = elements(algorithm?.content);
  const name = SIGNATURES[hex(id?.content ?? new Uint8Array())] ?? hex(id?.content ?? new Uint8Array());
  return name === 'rsaPss' ? (usualPss(parameters) ?? name) : name;
}

/** The name of RSASSA-PSS with one of the usual sets of parameters (RFC 4055): one hash, with a salt of its length. */
function usualPss(parameters: Element | undefined): string | null {
  const fields = elements(parameters?.content);
  const field = (tag: number): Element | undefined => elements(fields.find((one) => one.tag === tag)?.content)[0];
  const hash = hex(elements(field(0xa0)?.content)[0]?.content ?? new Uint8Array());
  const mask = hex(elements(elements(field(0xa1)?.content)[1]?.content)[0]?.content ?? new Uint8Array());
  const known = PSS_HASHES[hash];
  return known !== undefined && mask === hash && field(0xa2)?.content[0] === known.salt ? known.name : null;
}

function pathLengthIn(extension: Uint8Array | undefined): number | null {
  const number = elements(elements(extension)[0]?.content).find(({ tag }) => tag === 0x02);
  return number ? number.content.reduce((value, byte) => value * 256 + byte, 0) : null;
}

function keyUsageIn(extension: Uint8Array | undefined): string[] | null {
  const bits = elements(extension)[0]?.content;
  if (bits === undefined) return null;
  return USAGES.filter((_, i) => (((bits[1 + (i >> 3)] ?? 0) >> (7 - (i & 7))) & 1) === 1);
}

function constraintsIn(extension: Uint8Array | undefined): { permitted: string[]; excluded: string[] } {
  const lists = elements(elements(extension)[0]?.content);
  const of = (tag: number): string[] =>
    elements(lists.find((one) => one.tag === tag)?.content)
      .slice(0, 50)
      .map(({ content }) => elements(content)[0])
      .filter((name) => name !== undefined)
      .map(nameOf);
  return { permitted: of(0xa0), excluded: of(0xa1) };
}

function nameOf({ tag, content }: Element): string {
  if (tag === 0x82) return `DNS:${String.fromCharCode(...content.slice(0, 253))}`;
  if (tag !== 0x87) return `name of kind ${tag & 0x1f}`;
  const half = content.length / 2;
  return `IP:${addressOf(content.slice(0, half))}/${addressOf(content.slice(half))}`;
}

function addressOf(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  return (hex(bytes).match(/.{1,4}/g) ?? []).join(':');
}

/** The consecutive elements in some DER bytes. */
function elements(bytes: Uint8Array = new Uint8Array()): Element[] {
  const list: Element[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const tag = bytes[at] ?? 0;
    let length = bytes[at + 1] ?? 0;
    at += 2;
    if (length > 0x80) {
      const size = length & 0x7f;
      length = 0;
      for (let i = 0; i < size; i += 1) length = length * 256 + (bytes[at + i] ?? 0);
      at += size;
    }
    if (at + length > bytes.length) break;
    list.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return list;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
