import { hasTooManyMarks } from '../text/normalized.ts';

/** URLs as clients parse them. */

/**
 * Parses a URL as the WHATWG URL standard does; null if it is invalid. All code parses untrusted URLs with this: the
 * static methods of `URL` return wrong results on Node 20 and 22 once V8 has optimized them (for hosts with Latin-1
 * letters), or are missing.
 * @param base an absolute URL that `text` may be relative to
 */
export function parseUrl(text: string, base?: string): URL | null {
  if (hasTooManyMarks(text) && hasTooManyMarks(authorityOf(text))) return null;
  try {
    const url = new URL(text, base);
    return hasValidALabels(url.hostname) ? url : null;
  } catch {
    return null;
  }
}

/** True for a text that begins as an http(s) URL, as opposed to a file name. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** The part that a parser normalizes as the host: everything up to the path. */
function authorityOf(text: string): string {
  return text.replace(/^(?:[^:/\\]*:)?[/\\]*/, '').split(/[/\\?#]/, 1)[0]!;
}

/** Newer parsers accept labels with invalid Punycode, older ones and browsers do not: here they are rejected. */
function hasValidALabels(hostname: string): boolean {
  return !hostname.includes('xn--') || hostname.split('.').every((label) => isValidALabel(label));
}

/** The parts of a URL that the rules use. */
export type UrlParts = Pick<
  URL,
  'protocol' | 'origin' | 'host' | 'hostname' | 'pathname' | 'searchParams' | 'hash' | 'href'
>;

const NO_QUERY = new URLSearchParams();

/** The URL's parts, read once, or null if it cannot be parsed. */
export function urlParts(text: string): UrlParts | null {
  const url = parseUrl(text);
  if (url === null) return null;
  const { protocol, origin, host, hostname, pathname, search, hash, href } = url;
  const searchParams = search === '' ? NO_QUERY : url.searchParams;
  return { protocol, origin, host, hostname, pathname, searchParams, hash, href };
}

/** True for localhost and the loopback addresses. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Equal for all spellings of the same address; an invalid URL is returned unchanged. Fragments are never sent. */
export function comparableUrl(text: string): string {
  const parsed = parseUrl(text);
  return parsed ? withoutFragment(parsed.href) : text;
}

export function withoutFragment(text: string): string {
  const at = text.indexOf('#');
  return at === -1 ? text : text.slice(0, at);
}

/** The fragment of a URL with its "#", which browsers apply to an image (a view of an SVG); '' without one. */
export function fragmentOf(text: string): string {
  const hash = parseUrl(text)?.hash ?? '';
  return hash === '#' ? '' : hash;
}

/** Punycode (RFC 3492) in host names: labels that begin with `xn--`. */

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const LAST_CODE_POINT = 0x10ffff;

/**
 * True if a label of a host name is not an A-label, or one that a Unicode label maps to. The runtime's parser maps
 * Unicode labels to A-labels (UTS #46).
 * @param label in lower case
 */
export function isValidALabel(label: string): boolean {
  if (!label.startsWith('xn--')) return true;
  const decoded = decode(label.slice(4));
  // Text in ASCII has no A-label.
  // oxlint-disable-next-line no-control-regex
  if (decoded === null || !/[^\u0000-\u007f]/.test(decoded)) return false;
  try {
    return new URL(`https://${decoded}`).hostname === label;
  } catch {
    return false;
  }
}

/** Decodes Punycode (RFC 3492 section 6.2); null if it is not valid. */
function decode(input: string): string | null {
  const delimiter = input.lastIndexOf('-');
  const output = Array.from(input.slice(0, Math.max(delimiter, 0)));
  let codePoint = 128;
  let bias = 72;
  let index = 0;
  let position = delimiter + 1;
  while (position < input.length) {
    const delta = readDelta(input, position, bias);
    if (delta === null) return null;
    position = delta.next;
    index += delta.value;
    const length = output.length + 1;
    codePoint += Math.floor(index / length);
    index %= length;
    if (codePoint > LAST_CODE_POINT || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return null;
    bias = adapt(delta.value, length, output.length === Math.max(delimiter, 0));
    output.splice(index, 0, String.fromCodePoint(codePoint));
    index += 1;
  }
  return output.join('');
}

/** A variable-length integer, and the offset of the next one; null if it is incomplete or too large. */
function readDelta(input: string, start: number, bias: number): { value: number; next: number } | null {
  let value = 0;
  let weight = 1;
  for (let at = start; at < input.length; at++) {
    const digit = digitOf(input.charCodeAt(at));
    if (digit === null) return null;
    value += digit * weight;
    if (value > Number.MAX_SAFE_INTEGER) return null;
    const k = BASE * (at - start + 1);
    const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
    if (digit < threshold) return { value, next: at + 1 };
    weight *= BASE - threshold;
  }
  return null;
}

/** The value of a digit: a to z are 0 to 25, 0 to 9 are 26 to 35. */
function digitOf(code: number): number | null {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  return code >= 0x30 && code <= 0x39 ? code - 0x30 + 26 : null;
}

/** The next bias (RFC 3492 section 6.1). */
function adapt(delta: number, length: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / DAMP) : Math.floor(delta / 2);
  rest += Math.floor(rest / length);
  let k = 0;
  while (rest > ((BASE - T_MIN) * T_MAX) / 2) {
    rest = Math.floor(rest / (BASE - T_MIN));
    k += BASE;
  }
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

/**
 * The ports that browsers and Node's fetch refuse to connect to (Fetch, "bad port"), since other protocols use them.
 */
const BLOCKED = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * The port that keeps a URL from being fetched, or null.
 * @param host of an http(s) URL as the parser serializes it; without a port it is the default one, which is never
 * blocked
 */
export function blockedPort(host: string): number | null {
  if (!host.includes(':')) return null;
  const port = /:(\d+)$/.exec(host)?.[1];
  return port !== undefined && BLOCKED.has(Number(port)) ? Number(port) : null;
}
