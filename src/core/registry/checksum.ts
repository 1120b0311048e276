import { type SafeText, message } from '../text/message.ts';

/** Checksums in the form of spec 2.2: `sha256:` and 64 lowercase hexadecimal digits. */

const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha384', 'sha512'] as const;
const WELL_FORMED = /^sha256:[0-9a-f]{64}$/;

/** True for a well-formed checksum. */
export function isChecksum(text: string): boolean {
  return text.length === 71 && WELL_FORMED.test(text);
}

/** The 64 digits of a well-formed checksum, or null. */
export function digestOf(checksum: string): string | null {
  return isChecksum(checksum) ? checksum.slice(7) : null;
}

/** A digest that was not computed from an artifact. */
interface PlaceholderDigest {
  cause: 'zeros' | 'filler' | 'empty-file' | 'empty-archive' | 'error-message';
  /** A noun phrase: what it is instead of the digest of an artifact. */
  is: string;
}

const ZEROS: PlaceholderDigest = { cause: 'zeros', is: 'a placeholder, not a digest' };
const FILLER: PlaceholderDigest = { cause: 'filler', is: 'a placeholder, not a digest' };
const EMPTY_ARCHIVE: PlaceholderDigest = { cause: 'empty-archive', is: 'the digest of an archive without files' };
const NOT_FOUND: PlaceholderDigest = {
  cause: 'error-message',
  is: 'the digest of a message of a host, “Not Found”, which was hashed in place of the artifact',
};

/** Digests of files that pipelines hash in place of a missing artifact. */
const OF_NO_ARTIFACT: ReadonlyMap<string, PlaceholderDigest> = new Map([
  [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    { cause: 'empty-file', is: 'the digest of an empty file' },
  ],
  [
    '01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b',
    { cause: 'empty-file', is: 'the digest of a line break, and nothing else' },
  ],
  // gzip without input, by GNU gzip and Node.js, and by Python.
  ['59869db34853933b239f1e2219cf7d431da006aa919635478511fabbfc8849d2', EMPTY_ARCHIVE],
  ['f61f27bd17de546264aa58f40f3aafaac7021e0ef69c17f6b1b4cd7664a037ec', EMPTY_ARCHIVE],
  // tar without files, compressed by GNU tar.
  ['85cea451eec057fa7e734548ca3ba6d779ed5836a3f9de14b8394575ef0d7d8e', EMPTY_ARCHIVE],
  // “Not Found”, “404: Not Found” and “404 Not Found”, as GitHub and other hosts send them.
  ['0019dfc4b32d63c1392aa264aed2253c1e0c2fb09216f8e2cc269bbfb8bb49b5', NOT_FOUND],
  ['d5558cd419c8d46bdc958064cb97f963d1ea793866414c025906ec15033512ed', NOT_FOUND],
  ['7d04f7431bbfa41a04bcc7e6b98b9de0d919756c4c671c5785c99fff45f16402', NOT_FOUND],
]);

const NO_DIGITS = '0'.repeat(64);
const COUNTING = '0123456789abcdef'.repeat(4);

/** Recognizes a digest that no artifact has; null for any other digest. */
export function impossibleDigest(digest: string): PlaceholderDigest | null {
  return digest === NO_DIGITS ? ZEROS : (OF_NO_ARTIFACT.get(digest) ?? null);
}

/** Recognizes a digest that was probably typed: repeated or counting digits. */
export function fillerDigest(digest: string): PlaceholderDigest | null {
  // A group of up to eight digits, repeated to 64, repeats after eight.
  const repeats = digest[0] === digest[8] && digest.slice(8) === digest.slice(0, -8);
  return repeats || digest === COUNTING ? FILLER : null;
}

/** An algorithm other than SHA-256, as a checksum names it. */
type OtherAlgorithm = (typeof ALGORITHMS)[number] | `blake${string}` | `crc${string}`;

type ChecksumErrorCause =
  | 'placeholder'
  | 'whitespace'
  | 'uppercase'
  | 'no-prefix'
  | 'wrong-prefix'
  | 'sri-base64'
  | 'wrong-length'
  | 'not-hexadecimal'
  | OtherAlgorithm;

/** The reason why a text is not a checksum: the cause, and the correct form if the text determines it. */
export interface ChecksumError {
  cause: ChecksumErrorCause;
  message: SafeText;
  /** The well-formed checksum contained in the text, or null when the artifact must be hashed again. */
  repaired: string | null;
}

/** The fault of a malformed checksum; null for a well-formed one. */
export function checksumError(text: string): ChecksumError | null {
  if (isChecksum(text)) return null;
  const bare = text.trim();
  if (
    bare === '' ||
    /^(?:sha-?256[:=-]?\s*)?(?:unknown|todo|tbd|none|null|undefined|nan|placeholder|changeme|fixme|pending|n\/?a|x+|\.\.\.|-|\?+|<[^>]*>|\$\{[^}]*\}|\{\{.*\}\})?$/i.test(
      bare,
    )
  ) {
    return {
      cause: 'placeholder',
      message: bare === '' ? message`The checksum is empty.` : message`The checksum is a placeholder.`,
      repaired: null,
    };
  }
  if (/^sha256:[0-9a-fA-F]{64}$/.test(bare)) {
    if (bare !== text)
      return {
        cause: 'whitespace',
        message: message`The checksum has leading or trailing white space.`,
        repaired: bare.toLowerCase(),
      };
    return {
      cause: 'uppercase',
      message: message`The digest is in uppercase; it must be lowercase.`,
      repaired: text.toLowerCase(),
    };
  }
  const spaced = bare.replace(/[\s\u200b-\u200d\ufeff]+/g, '');
  if (spaced !== bare && /^sha256:[0-9a-fA-F]{64}$/.test(spaced)) {
    return {
      cause: 'whitespace',
      message: message`The checksum contains white space or an invisible character.`,
      repaired: spaced.toLowerCase(),
    };
  }
  if (/^[0-9a-fA-F]{64}$/.test(bare))
    return {
      cause: 'no-prefix',
      message: message`The prefix "sha256:" is missing.`,
      repaired: `sha256:${bare.toLowerCase()}`,
    };
  const [, listed] = /^([0-9a-fA-F]{64})\s+\*?\S/.exec(bare) ?? [];
  if (listed !== undefined)
    return {
      cause: 'no-prefix',
      message: message`This is a line of sha256sum output; only its digest belongs here, after "sha256:".`,
      repaired: `sha256:${listed.toLowerCase()}`,
    };
  const [, prefix = '', separator = '', digest] = /^(sha-?256)\s*([:=-])\s*([0-9a-fA-F]{64})$/i.exec(bare) ?? [];
  if (digest !== undefined)
    return {
      cause: 'wrong-prefix',
      message: message`The prefix must be exactly "sha256:", not "${prefix}${separator}".`,
      repaired: `sha256:${digest.toLowerCase()}`,
    };
  return otherAlgorithm(bare) ?? wrongDigits(bare);
}

function otherAlgorithm(text: string): ChecksumError | null {
  const [, sri] = /^sha256[-:]([A-Za-z0-9+/_-]{43}=?)$/.exec(text) ?? /^([A-Za-z0-9+/_-]{43}=)$/.exec(text) ?? [];
  // 43 hexadecimal digits are a truncated digest, not base64: decoding them would yield a meaningless digest.
  if (sri !== undefined && !/^[0-9a-fA-F]+$/.test(sri))
    return {
      cause: 'sri-base64',
      message: message`The digest is base64, as in subresource integrity; it must be hexadecimal.`,
      repaired: fromBase64(sri),
    };
  if (/^sha(384|512)-[A-Za-z0-9+/]{60,}={0,2}$/.test(text))
    return {
      cause: 'sri-base64',
      message: message`This is a subresource integrity value of another algorithm; a SHA-256 digest is needed.`,
      repaired: null,
    };
  const named = namedAlgorithm(text);
  const digits = /^(?:[a-z0-9-]+[:=-])?\s*([0-9a-fA-F]+)$/i.exec(text)?.[1] ?? '';
  const byLength: Readonly<Partial<Record<number, OtherAlgorithm>>> = { 32: 'md5', 40: 'sha1', 128: 'sha512' };
  const algorithm = named ?? byLength[digits.length];
  if (algorithm === undefined) return null;
  return {
    cause: algorithm,
    message: message`The algorithm must be SHA-256, not ${algorithm.toUpperCase().replace(/^SHA(?=\d)/, 'SHA-')}${named === undefined ? ' (by the length of the digest)' : ''}.`,
    repaired: null,
  };
}

/** The algorithm that a prefix names: `SHA-1:`, `blake3-`. */
function namedAlgorithm(text: string): OtherAlgorithm | undefined {
  const [, name = '', family, variant = ''] =
    /^(md5|sha-?1|sha-?224|sha-?384|sha-?512|(blake|crc)(\w*))\s*[:=-]/i.exec(text.toLowerCase()) ?? [];
  if (family === 'blake') return `blake${variant}`;
  if (family === 'crc') return `crc${variant}`;
  return ALGORITHMS.find((algorithm) => algorithm === name.replace('-', ''));
}

function wrongDigits(text: string): ChecksumError {
  const digits = text.replace(/^sha256:/, '');
  if (/^[0-9a-fA-F]*$/.test(digits))
    return {
      cause: 'wrong-length',
      message: message`The digest has ${digits.length} hexadecimal digits; SHA-256 has 64.`,
      repaired: null,
    };
  return {
    cause: 'not-hexadecimal',
    message: message`The checksum is not "sha256:" followed by 64 hexadecimal digits.`,
    repaired: null,
  };
}

function fromBase64(text: string): string | null {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/').replace(/=*$/, ''));
  if (bytes.length !== 32) return null;
  return `sha256:${[...bytes].map((c) => c.charCodeAt(0).toString(16).padStart(2, '0')).join('')}`;
}
