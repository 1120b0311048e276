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
