import { fromBase64 } from './signature-parameters.ts';
import { stampOver } from './text.ts';

/**
 * Removes header values from a text: with and without their scheme (`Bearer …`), the decoded form of `Basic`, and each
 * also in the forms in which hosts echo it: in other case, escaped for a URL, JSON or HTML, in hexadecimal or base64. The
 * replacement has the same length.
 */
export function redactor(values: readonly string[]): (text: string) => string {
  const plain = values.flatMap((value) => {
    const withoutScheme = value.replace(/^\w+ +/, '');
    return /^basic +/i.test(value) ? [value, withoutScheme, ...loginOf(withoutScheme)] : [value, withoutScheme];
  });
  // A value of a few characters is not a secret, and occurs everywhere.
  const secrets = [...new Set(plain.filter((value) => value.length >= 4))];
  // Longest first: the rest of a form after a shorter one was removed would still disclose something.
  const forms = secrets.toSorted((a, b) => b.length - a.length).flatMap(formsOf);
  return (text) => forms.reduce((seen, form) => seen.replace(form, (found) => stampOver(found, 'REDACTED')), text);
}

/** The user name with the password, and the password, of `Basic` credentials. */
function loginOf(encoded: string): string[] {
  const login = new TextDecoder().decode(Uint8Array.from(fromBase64(encoded), (one) => one.charCodeAt(0)));
  const colon = login.indexOf(':');
  return colon === -1 ? [] : [login, login.slice(colon + 1)];
}

/** Shorter values are words in another case, and parts of other texts in base64. */
const DISTINCT = 8;

/** Longer patterns are too large; what follows such a beginning is the rest of the secret. */
const SEARCHED = 200;

/** The forms of a secret, as patterns. */
function formsOf(secret: string): RegExp[] {
  const start = secret.slice(0, SEARCHED);
  const rest = secret.length > SEARCHED ? String.raw`[^\s"'<>]*` : '';
  const bytes = new TextEncoder().encode(start);
  const isDistinct = secret.length >= DISTINCT;
  const text = Array.from(start, characterForms).join('');
  const hex = Array.from(bytes, (byte) => String.raw`(?:\\x|0x)?${hexOf(byte)}`).join('[ :,-]?');
  const parts = isDistinct ? [0, 1, 2].map((before) => partInBase64(bytes, before)) : [];
  const inBase64 = [charactersInBase64(base64(bytes)), ...parts];
  return [
    new RegExp(text + rest, isDistinct ? 'giu' : 'gu'),
    new RegExp(hex + rest, 'gi'),
    ...inBase64.map((pattern) => new RegExp(pattern + rest, 'g')),
  ];
}

/** A character as it is, or escaped for a URL, also twice, for JSON, or for HTML. */
function characterForms(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const inUrl = Array.from(new TextEncoder().encode(character), (byte) => `%(?:25)*${caseless(hexOf(byte))}`).join('');
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  const inJson = units.map((unit) => String.raw`\\u${caseless(unit.toString(16).padStart(4, '0'))}`).join('');
  const inHtml = `&#(?:0*${code}|[xX]0*${caseless(code.toString(16))});`;
  const named = NAMED.get(character) ?? [];
  return [String.raw`(?:\\?\u{${code.toString(16)}}`, inUrl, inJson, inHtml, ...named].join('|') + ')';
}

/** Names of HTML, the short escapes of JSON, and the space of forms. */
const NAMED = new Map([
  [' ', [String.raw`\+`]],
  ['&', ['&amp;']],
  ['<', ['&lt;']],
  ['>', ['&gt;']],
  ['"', ['&quot;']],
  ["'", ['&apos;']],
  ['\t', [String.raw`\\t`]],
]);

function base64(bytes: Iterable<number>): string {
  return btoa(String.fromCharCode(...bytes));
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** Hexadecimal digits of either case. */
function caseless(digits: string): string {
  return digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** A secret inside of a text in base64. @param before the number of bytes before it, modulo 3 */
function partInBase64(bytes: Uint8Array, before: number): string {
  const text = base64([...new Uint8Array(before), ...bytes]);
  const inside = text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
  // The characters around it are partly of the secret.
  return `${before === 0 ? '' : BASE64_CHARACTER}${charactersInBase64(inside)}${BASE64_CHARACTER}`;
}

const BASE64_CHARACTER = '[A-Za-z0-9+/_-]?';

/** Characters of base64 or base64url, also escaped for a URL or JSON. */
function charactersInBase64(text: string): string {
  return text
    .replaceAll('+', '(?:[+-]|%2[bB])')
    .replaceAll('/', String.raw`(?:\\?/|_|%2[fF])`)
    .replaceAll('=', '(?:=|%3[dD])?');
}
