/** A representation: its strong ETag, modification time (milliseconds) and size in bytes. */
interface Representation {
  etag: string;
  modified: number;
  size: number;
}
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

function header(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

const ENTITY_TAGS = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** True if a list of entity tags, or `*`, matches the ETag. A weak tag never matches in a strong comparison. */
function includesTag(list: string, etag: string, comparison: 'weak' | 'strong'): boolean {
  if (list.trim() === '*') return true;
  const tags = list.match(ENTITY_TAGS) ?? [];
  return tags.some((tag) => tag === etag || (comparison === 'weak' && tag === `W/${etag}`));
}

/** Whole seconds, the resolution of HTTP dates; null if it is not a date. */
function seconds(date: string | undefined): number | null {
  if (date === undefined) return null;
  const moment = Date.parse(date);
  return Number.isNaN(moment) ? null : Math.floor(moment / 1000);
}

/**
 * Evaluates the preconditions of a GET or HEAD, in the order of RFC 9110 section 13.2.2.
 * Returns 412 or 304, or null to perform the method.
 */
export function precondition(headers: RequestHeaders, { etag, modified }: Representation): 304 | 412 | null {
  const changed = Math.floor(modified / 1000);
  const ifMatch = header(headers, 'if-match');
  if (ifMatch !== undefined) {
    if (!includesTag(ifMatch, etag, 'strong')) return 412;
  } else {
    const since = seconds(header(headers, 'if-unmodified-since'));
    if (since !== null && changed > since) return 412;
  }
  const ifNoneMatch = header(headers, 'if-none-match');
  if (ifNoneMatch !== undefined) return includesTag(ifNoneMatch, etag, 'weak') ? 304 : null;
  const since = seconds(header(headers, 'if-modified-since'));
  return since !== null && changed <= since ? 304 : null;
}

/**
 * The range requested by a GET: `start` to `end` (exclusive, in bytes), 'unsatisfiable', or null for the whole
 * representation: no range, another unit, several ranges, a syntax error, or an If-Range that does not match (RFC 9110
 * section 14.2 lets a server ignore all of these). A date in If-Range never matches: its resolution is too coarse.
 */
export function requestedRange(
  headers: RequestHeaders,
  { etag, size }: Representation,
): { start: number; end: number } | 'unsatisfiable' | null {
  const match = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header(headers, 'range') ?? '');
  if (!match) return null;
  const [, first = '', last = ''] = match;
  const ifRange = header(headers, 'if-range');
  if (ifRange !== undefined && ifRange.trim() !== etag) return null;
  if (first === '') {
    if (last === '') return null;
    const length = Math.min(Number(last), size);
    if (Number(last) === 0) return 'unsatisfiable';
    return size === 0 ? null : { start: size - length, end: size };
  }
  if (last !== '' && Number(last) < Number(first)) return null;
  if (Number(first) >= size) return 'unsatisfiable';
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;

/**
 * The CORS headers of every response, including errors and 304 (spec 4.1). Without a list of origins, any origin may
 * read. Otherwise a listed origin is echoed, and `Vary` is always sent, so that a cache never reuses the response for
 * another origin.
 */
export function corsHeaders(origins: readonly string[], origin: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {
    'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Length, Content-Range, Date, ETag, Last-Modified',
  };
  if (origins.length === 0 || origins.includes('*')) return { ...headers, 'Access-Control-Allow-Origin': '*' };
  headers['Vary'] = 'Origin';
  if (origin !== undefined && origins.includes(origin)) headers['Access-Control-Allow-Origin'] = origin;
  return headers;
}

/**
 * Additional headers of a preflight response: GET and HEAD, with any request header. The requested names are echoed,
 * because `*` does not cover Authorization.
 */
export function preflightHeaders(requestedHeaders: string | undefined): Record<string, string> {
  const names = (requestedHeaders ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => TOKEN.test(name));
  return {
    'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
    'Access-Control-Allow-Headers': names.length > 0 ? names.join(', ') : '*, Authorization',
    'Access-Control-Max-Age': '600',
    Vary: 'Access-Control-Request-Headers',
  };
}
