/**
 * Response headers as observed (`Hop.headers`: lower-case names, one pair per line), parsed according to their
 * standards.
 */

type Headers = readonly (readonly [string, string])[];

/** The values of a header, one per line. Surrounding white space, which the facts still contain, is removed. */
export function headerLines(headers: Headers, name: string): string[] {
  const lines: string[] = [];
  for (const [key, value] of headers) if (key === name) lines.push(stripSpace(value));
  return lines;
}

/** The value of a header, several lines joined by a comma (RFC 9110 section 5.3); null when it was not sent. */
export function headerValue(headers: Headers, name: string): string | null {
  let value: string | null = null;
  // No intermediate list: this is the most frequent operation on a response.
  for (const line of headers)
    if (line[0] === name) value = value === null ? stripSpace(line[1]) : `${value}, ${stripSpace(line[1])}`;
  return value;
}

/**
 * Without leading and trailing spaces and tabs. Not a regular expression, which would take quadratic time on a long
 * run.
 */
export function stripSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return to - from === text.length ? text : text.slice(from, to);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * The tokens of a comma-separated list; null if an element is not a token. Empty elements are skipped (RFC 9110 section
 * 5.6.1).
 */
export function tokens(value: string): string[] | null {
  const list: string[] = [];
  for (const part of value.split(',')) {
    const token = stripSpace(part);
    if (token === '') continue;
    if (!TOKEN.test(token)) return null;
    list.push(token);
  }
  return list;
}

/** The names in Vary, in lower case; `*` is returned as it is. */
export function varyNames(headers: Headers): string[] {
  return (headerValue(headers, 'vary') ?? '')
    .split(',')
    .map((name) => stripSpace(name).toLowerCase())
    .filter((name) => name !== '');
}

export interface MediaType {
  /** In lower case, without parameters. An invalid media type is returned as sent. */
  type: string;
  charset: string | null;
}

/**
 * The Content-Type as browsers parse it (Fetch, "extract a MIME type"): of several, on one line or more, the last valid
 * one counts, and an earlier charset is kept for the same type. Null when none was sent.
 */
export function mediaType(headers: Headers): MediaType | null {
  const value = headerValue(headers, 'content-type');
  if (value === null) return null;
  let found: MediaType | null = null;
  const parts = outsideQuotes(value.slice(0, MEDIA_TYPE_LENGTH));
  for (const part of parts) {
    const [, name, parameters = ''] = MEDIA_TYPE.exec(stripSpace(part)) ?? [];
    if (name === undefined || name === '*/*') continue;
    const type = name.toLowerCase();
    const charset = CHARSET.exec(parameters)?.[1]?.toLowerCase() ?? null;
    found = { type, charset: charset ?? charsetOf(found, type) };
  }
  if (found !== null) return found;
  const last = parts.at(-1) ?? '';
  return { type: stripSpace(last.replace(/;.*/s, '')).toLowerCase(), charset: null };
}

function charsetOf(found: MediaType | null, type: string): string | null {
  return found?.type === type ? found.charset : null;
}

const MEDIA_TYPE_LENGTH = 4000;
const MEDIA_TYPE = /^([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)[ \t]*(;.*)?$/s;
const CHARSET = /;[ \t]*charset=[ \t]*"?([^";, \t]+)/i;

/** The elements of a comma-separated list whose quoted strings may contain commas. */
function outsideQuotes(value: string): string[] {
  if (!value.includes('"')) return value.split(',');
  const parts: string[] = [];
  let part = '';
  let quoted = false;
  for (const [i, letter] of [...value].entries()) {
    if (letter === '"' && !(quoted && value[i - 1] === '\\')) quoted = !quoted;
    if (letter === ',' && !quoted) {
      parts.push(part);
      part = '';
    } else part += letter;
  }
  return [...parts, part];
}

/**
 * The content codings in the order in which they were applied: lower case, `x-gzip` as `gzip`. Only `identity` yields
 * an empty list; together with another coding it is kept, since browsers and Node's fetch then decode nothing, as for
 * an unknown coding.
 */
export function contentCodings(headers: Headers): string[] {
  const value = headerValue(headers, 'content-encoding');
  if (value === null) return [];
  const list = value
    .split(',')
    .map((name) => stripSpace(name).toLowerCase())
    .filter((name) => name !== '')
    .map((name) => name.replace(/^x-(gzip|compress)$/, '$1'));
  return list.every((name) => name === 'identity') ? [] : list;
}

/** The content codings that browsers and Node.js decode. */
export const DECODED_CODINGS: ReadonlySet<string> = new Set(['gzip', 'deflate', 'br']);

/** The directives of Cache-Control: names in lower case with their argument (null without one), the first of each. */
export interface CacheControl {
  directives: ReadonlyMap<string, string | null>;
  /** The invalid lifetimes as sent: quoted, negative, fractional, or repeated with different values. */
  malformed: readonly string[];
}

export function cacheControl(value: string): CacheControl {
  const directives = new Map<string, string | null>();
  const malformed: string[] = [];
  for (const part of value.split(',')) {
    const text = stripSpace(part);
    if (text === '') continue;
    const at = text.indexOf('=');
    const name = stripSpace(at === -1 ? text : text.slice(0, at)).toLowerCase();
    const argument = at === -1 ? null : stripSpace(text.slice(at + 1));
    const isLifetime = name === 'max-age' || name === 's-maxage';
    // "public; max-age=300", "max-age: 300"
    if (!TOKEN.test(name) && /max-?age/.test(name)) malformed.push(text);
    if (isLifetime && (argument === null || !/^\d+$/.test(argument))) malformed.push(text);
    const before = directives.get(name);
    if (before === undefined) directives.set(name, argument);
    else if (isLifetime && before !== argument) malformed.push(text);
  }
  return { directives, malformed };
}

/** A lifetime in seconds, capped according to RFC 9111 section 1.2.2; null if the text is not a plain number. */
export function secondsIn(text: string | null | undefined): number | null {
  if (text === null || text === undefined || !/^\d+$/.test(text)) return null;
  return text.length > 10 ? 2 ** 31 : Math.min(Number(text), 2 ** 31);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DATE_FORMS = [
  // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
  /^(?:mon|tue|wed|thu|fri|sat|sun), (?<day>\d\d) (?<month>[a-z]{3}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) gmt$/i,
  // RFC 850: Sunday, 06-Nov-94 08:49:37 GMT
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)day, (?<day>\d\d)-(?<month>[a-z]{3})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) gmt$/i,
  // asctime(): Sun Nov  6 08:49:37 1994
  /^(?:mon|tue|wed|thu|fri|sat|sun) (?<month>[a-z]{3}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/i,
];

/** An HTTP date (RFC 9110 section 5.6.7, all three forms) in milliseconds since 1970; null for anything else. */
export function httpDate(text: string | null): number | null {
  if (text === null || text.length > 40) return null;
  for (const form of DATE_FORMS) {
    const { day, month = '', year = '', time = '' } = form.exec(text)?.groups ?? {};
    if (day === undefined) continue;
    const index = MONTHS.indexOf(month.toLowerCase());
    const [hour, minute, second] = time.split(':').map(Number);
    return index === -1 ? null : Date.UTC(fullYear(year), index, Number(day), hour, minute, second);
  }
  return null;
}

/** Two digits mean a year from 1970 to 2069. */
function fullYear(year: string): number {
  if (year.length === 4) return Number(year);
  return Number(year) + (Number(year) < 70 ? 2000 : 1900);
}

/**
 * The delay in seconds that Retry-After requests: a whole number, or the time until a date.
 * @param now milliseconds since 1970
 * @returns null if there is nothing to follow: absent, negative, past, or neither number nor date
 */
export function retryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const number = secondsIn(value);
  if (number !== null) return number;
  const date = httpDate(value);
  return date === null || date <= now ? null : Math.ceil((date - now) / 1000);
}
