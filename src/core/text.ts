/**
 * Everything that comes from a registry is untrusted text. Two things are done to it before anybody sees it: what
 * could move a cursor or reorder a line is shown escaped, and secrets are taken out.
 */

// C0 and C1 controls, DEL, bidirectional and zero-width marks, line and paragraph separators, BOM, lone surrogates.
const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text on one line, with control, bidirectional and invisible characters shown as `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
}

/** True when `printable` would change the text. */
export function hasUnprintable(text: string): boolean {
  return text.search(UNPRINTABLE) !== -1;
}

/** JSON that is safe to print anywhere: what `printable` would escape stands as `\uXXXX`, so it reads back the same. */
export function safeJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(UNPRINTABLE, (c) =>
    c === '\n' ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** At most `limit` characters, with an ellipsis where something was cut. */
export function shorten(text: string, limit = 200): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

// Query parameters whose values tell nothing secret; the value of any other one is hidden.
const HARMLESS = new Set([
  'v', 'version', 'ref', 'raw', 'dl', 'download', 'format', 'alt', 'tag', 'path', 'file', 'name', 'generation',
  'x-amz-algorithm', 'x-amz-date', 'x-amz-expires', 'x-amz-signedheaders',
  'x-goog-algorithm', 'x-goog-date', 'x-goog-expires', 'x-goog-signedheaders',
  'expires', 'se', 'st', 'sp', 'sv', 'sr', 'spr',
]);
const QUERY = /([?&;])([^=&#\s"'<>;?]{1,100})=([^&#\s"'<>;]*)/g;
const USERINFO = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"'<>]+@/gi;
const BEARER = /\b(bearer|basic)\s+[a-z0-9._~+/=-]{6,}/gi;

/** The text with credentials in URLs (userinfo, query values that could be signatures) and bearer tokens hidden. */
export function redact(text: string): string {
  if (!/[?@]|bearer|basic/i.test(text)) return text;
  return text
    .replace(USERINFO, '$1REDACTED@')
    .replace(QUERY, (all, mark: string, name: string, value: string) =>
      value === '' || HARMLESS.has(name.toLowerCase()) ? all : `${mark}${name}=REDACTED`,
    )
    .replace(BEARER, '$1 REDACTED');
}
