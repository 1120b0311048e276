import { decoded, isSecretParameter, MARKED_TOKEN, showsSignature } from './secret-parameters.ts';
import { tokenParts } from './signature-parameters.ts';

/**
 * Everything that comes from a registry is untrusted text. Before it is shown, characters that could move a cursor or
 * reorder a line are escaped, and secrets are removed.
 */

// C0 and C1 controls, DEL, bidirectional and zero-width marks, line and paragraph separators, BOM, lone surrogates.
const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

// Log commands of CI systems: `##[`, `##vso[`, `##teamcity[` anywhere, `::name` at the start of a line. An IPv6 address
// begins with colons too, but has no letter after f.
const COMMAND = /#(?=#(?:\[|vso\[|teamcity\[))|:(?<=^\s*:)(?=:[a-z-]*[g-z-])/gi;

/**
 * The text on one line, with control, bidirectional and invisible characters shown as `\u{1b}`, as well as the first
 * character of a CI command.
 */
export function printable(text: string): string {
  return withoutCommands(withVisibleControls(text));
}

/** The text with control, bidirectional and invisible characters shown as `\u{1b}`. For pages: no terminal reads it. */
export function withVisibleControls(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** The text with the first character of a CI command escaped. */
export function withoutCommands(text: string): string {
  return /##|::/.test(text) ? text.replace(COMMAND, escaped) : text;
}

function escaped(c: string): string {
  return `\\u{${c.charCodeAt(0).toString(16)}}`;
}

// All but the invisible characters; blank letters (Hangul fillers, Braille) are a known way to write empty names.
const VISIBLE =
  // eslint-disable-next-line no-control-regex
  /[^\u034f\s\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0]/;

/** True when a text has no visible character. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** True when a text has characters that must be escaped for display. */
export function hasUnprintable(text: string): boolean {
  return text.search(UNPRINTABLE) !== -1;
}

/**
 * JSON that is safe to print anywhere: the characters that `printable` escapes are written as `\uXXXX`, so it parses to
 * the same value.
 */
export function safeJson(value: unknown, indent = 2): string {
  return safeJsonText(JSON.stringify(value, null, indent));
}

/** A text that is JSON, as `safeJson` writes its value. */
export function safeJsonText(text: string): string {
  return text.replace(UNPRINTABLE, (c) => (c === '\n' ? c : inJson(c))).replace(COMMAND, inJson);
}

function inJson(c: string): string {
  return `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** At most `limit` characters, with an ellipsis if something was cut. */
export function shorten(text: string, limit = 200): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A number with its noun: `1 byte`, `2 bytes`, `1,000 bytes`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : plural}`;
}

/** The text with its first letter in upper case. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * A whole number with thousands separators: `1,234,567`. `toLocaleString` does the same, but loads ICU for it: 17 ms.
 */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

// The parameters after a ?, & or # up to the end of the URL; JSON and HTML may escape their separators.
const QUERY = /(?:[?&#]|\\u00(?:26|3f|23))[^\s"<>]*/gi;
// A pair in it: the name, and a value up to the next separator. The value of a secret extends to the next & or #.
const PAIR = /([?&#;]|\\u00(?:26|3f|23|3b))([^=&#?;\\\s"<>]+)(=|\\u003d)((?:[^&#?;\\]|\\(?!u00(?:26|3f|23|3b)))*)/gi;
const VALUE_END = /[&#]|\\u00(?:26|23)/gi;
// Everything before the last @ of a possible authority; browsers accept a password with spaces in it.
const USERINFO = /([/\\]{2})([^/\\?#"<>]+)@|(\bhttps?:[/\\]?)([^/\\?#"<>]{1,1000})@/gi;
// Tokens of CDNs in a path, which may have slashes themselves.
const PATH_TOKEN = /(\/(?:bcdn_token|hdnts|hdnea|hdntl|__token__|edge-cache-token)=)([^&#\s"<>?]+)/gi;
// The same without a name, as Akamai's, and JSON Web Tokens.
const PATH_FIELDS = /(\/)((?:[a-z]{1,20}=[^/~\s"<>]{0,200}~){0,4}exp(?:ires)?=\d+~[^&#\s"<>?]+)/gi;
const PATH_JWT = /(\/)(eyJ[\w-]{10,5000}\.eyJ[\w-]{2,5000}\.[\w-]+={0,2})/g;
// A query that is a token without a name; a digest there is a key for caches.
const DIGEST = /^[\da-f]*$|^[\dA-F]*$/;
const NAMELESS = /(\?)([\w.~%+/-]{32,})(?=[&#\s"<>)]|$)/g;
const BEARER = /\b(bearer|basic)(\s+)([a-z0-9._~+/=-]{6,})/gi;

/** The printable text, shortened. What is cut is not read, so the time does not depend on the length of the text. */
export function printableExcerpt(text: string, limit = 200): string {
  return shorten(printable(text.slice(0, limit + 1)), limit);
}

// Longer texts are cut before secrets are searched.
const SEARCHED = 20_000;

/** An untrusted text that is safe to print in a message: on one line, without secrets, and shortened. */
export function safeExcerpt(text: string, limit = 200): string {
  // Secrets first: a cut could remove what shows them to be secrets.
  return printable(shorten(redact(text.slice(0, SEARCHED)), limit));
}

/** The text with credentials in URLs (userinfo, secret query values), bearer tokens and marked tokens hidden. */
export function redact(text: string): string {
  return hideSecrets(text, () => 'REDACTED');
}

/**
 * The same, for texts whose offsets must be preserved. Different values stay different, so that they do not compare
 * equal; escapes are kept, so that JSON stays JSON.
 */
export function redactInPlace(text: string): string {
  const numbers = new Map<string, number>();
  const stamp = (secret: string): string => {
    const number = numbers.get(secret) ?? numbers.size + 1;
    numbers.set(secret, number);
    return secret === '' ? '' : stampFor(secret, number);
  };
  return hideSecrets(
    text,
    // The expiry time in a token is kept.
    (secret) =>
      tokenParts(secret)
        ?.parts.map((part) => ('secret' in part ? stamp(part.secret) : part.shown))
        .join('') ?? stamp(secret),
  );
}

/** The text in place of the secret with this number (from 1), of the same length. */
export function stampFor(secret: string, number: number): string {
  const name = number === 1 ? 'REDACTED' : `REDACTED${number}`;
  return stampOver(secret, secret.length >= name.length ? name : number.toString(36));
}

/** A stamp in place of a secret, of the same length; backslash escapes are kept, except those of letters and digits. */
export function stampOver(secret: string, stamp: string): string {
  let at = 0;
  return secret.replace(/\\u[0-9a-f]{4}|\\.?|[^\\]/gi, (part) => {
    const code = part.length === 6 ? String.fromCharCode(Number.parseInt(part.slice(2), 16)) : part;
    if (part.startsWith('\\') && !/[\p{L}\p{N}]/u.test(part.length === 6 ? code : '')) return part;
    const over = stamp.slice(at, at + part.length).padEnd(part.length, '-');
    at += part.length;
    return over;
  });
}

// The replacement of a secret, with the punctuation of the sentence around it.
const HIDDEN = /^REDACTED[.,:;)”’]*$/;

function hideSecrets(text: string, hideSecret: (secret: string) => string): string {
  const hide = (secret: string): string => (HIDDEN.test(secret) ? secret : hideSecret(secret));
  if (!/[?@#&=]|bearer|basic|\/eyJ/i.test(text)) return text.replace(MARKED_TOKEN, hide);
  return text
    .replace(USERINFO, (_, slashes: string | undefined, name: string, scheme: string, other: string) =>
      slashes === undefined ? `${scheme}${hide(other)}@` : `${slashes}${hide(name)}@`,
    )
    .replace(QUERY, (query) => hideParameters(query, hide))
    .replace(PATH_TOKEN, (_, name: string, value: string) => `${name}${hide(value)}`)
    .replace(PATH_FIELDS, (_, slash: string, value: string) => `${slash}${hide(value)}`)
    .replace(PATH_JWT, (_, slash: string, value: string) => `${slash}${hide(value)}`)
    .replace(NAMELESS, (all, mark: string, value: string) => (DIGEST.test(value) ? all : `${mark}${hide(value)}`))
    .replace(BEARER, (_, scheme: string, space: string, token: string) => `${scheme}${space}${hide(token)}`)
    .replace(MARKED_TOKEN, hide);
}

/** Hides the secret values of a query, and of the queries of URLs in its values. */
function hideParameters(query: string, hide: (secret: string) => string): string {
  const pairs = [...query.matchAll(PAIR)];
  const isSigned = pairs.some(([, , name = '', , value = '']) => showsSignature(name, value));
  let shown = '';
  let end = 0;
  for (const pair of pairs) {
    const [all, , name = '', , part = ''] = pair;
    if (pair.index < end) continue;
    const start = pair.index + all.length - part.length;
    const isSecret = isSecretParameter(name, part, isSigned);
    if (!isSecret && !hasNestedSecret(part)) continue;
    const value = isSecret ? valueFrom(query, start) : part;
    shown += query.slice(end, start) + hide(value);
    end = start + value.length;
  }
  return shown + query.slice(end);
}

function valueFrom(query: string, start: number): string {
  VALUE_END.lastIndex = start;
  return query.slice(start, VALUE_END.exec(query)?.index ?? query.length);
}

/** True if a value is an encoded URL or query that has a secret itself. */
function hasNestedSecret(value: string): boolean {
  if (!/%(?:25)*(?:3[bdf]|26|40)/i.test(value)) return false;
  const inner = decoded(value);
  if (inner === value) return false;
  const asQuery = `?${inner}`;
  return redact(inner) !== inner || redact(asQuery) !== asQuery;
}

/** A text as one word of a POSIX shell's command line: in single quotes if the shell would change it. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
