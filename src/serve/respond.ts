import { companionKindOf } from '../core/registry/companion.ts';
import { cacheControlOf, mediaTypeOf, suffixOf } from '../core/registry/media.ts';
import { parseUrl } from '../core/url/url.ts';
import { precondition, requestedRange, type RequestHeaders, corsHeaders, preflightHeaders } from './conditions.ts';
import {
  encodedPath,
  readRange,
  readWhole,
  etagOf,
  FileChanged,
  openFile,
  type OpenFile,
  servedFile,
  targetSegments,
} from './files.ts';

/** The served workspace and its settings. */
export interface Site {
  /** The workspace's folder, as a real path. */
  root: string;
  /** The manifest's path within it, with forward slashes. */
  manifest: string;
  /** Origins that browsers may send requests from; empty: any. */
  serviceOrigins: readonly string[];
  /** The base URL in JSON files to replace with the address served on; null: files are served unchanged. */
  rewriteFrom: string | null;
  /** Real paths that are never served, in addition to private names. */
  hidden: ReadonlySet<string>;
  /** Milliseconds: the minimum Last-Modified of rewritten files. */
  started: number;
  /** The base URL for a request's Host header, with a trailing slash. */
  address(host: string | undefined): string;
  etag(file: OpenFile): Promise<string>;
}

export interface FileRequest {
  method: string;
  /** The request target as sent. */
  target: string;
  /** Field names in lower case. */
  headers: RequestHeaders;
}

/** A response, ready to be sent. The receiver must call `release` when done, also after errors. */
export interface FileResponse {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array | AsyncIterable<Uint8Array>;
  release(): Promise<void>;
}

const METHODS = 'GET, HEAD, OPTIONS';
/** JSON files above this size (bytes) are served unchanged: they would exceed the maximum string length. */
const MAX_REWRITTEN_BYTES = 400_000_000;

/** Responds to a request for a registry file as a well-configured static host does. Throws file system errors. */
export async function respond(site: Site, request: FileRequest): Promise<FileResponse> {
  const { method, target, headers } = request;
  const common = corsHeaders(site.serviceOrigins, firstValue(headers['origin']));
  if (method === 'OPTIONS') return preflight(common, headers);
  if (method !== 'GET' && method !== 'HEAD')
    return textResponse(405, `Only the methods ${METHODS} are supported.`, { ...common, Allow: METHODS });
  const segments = targetSegments(target);
  const path = segments && (await servedFile(site.root, segments, site.hidden));
  const found = path === null ? null : await respondWithFile(site, path, request, common);
  const registry = `${site.address(firstValue(headers['host']))}${encodedPath(site.manifest)}`;
  return found ?? textResponse(404, `Not found. The manifest is at ${registry}`, common);
}

/** The response for a file; null if it is missing. A file that is being written is tried three times. */
async function respondWithFile(
  site: Site,
  path: string,
  request: FileRequest,
  common: Record<string, string>,
): Promise<FileResponse | null> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const file = await openFile(path);
    if (!file) return null;
    try {
      return await responseFrom(site, file, request, common);
    } catch (error) {
      await file.handle.close();
      if (!(error instanceof FileChanged)) throw error;
    }
  }
  return textResponse(503, 'The file is being written; try again.', { ...common, 'Retry-After': '1' });
}

function firstValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

async function noRelease(): Promise<void> {}

function preflight(common: Record<string, string>, headers: RequestHeaders): FileResponse {
  const allowed = preflightHeaders(firstValue(headers['access-control-request-headers']));
  const vary = [common['Vary'], allowed['Vary']].filter(Boolean).join(', ');
  return {
    status: 204,
    headers: { ...common, ...allowed, Vary: vary, Allow: METHODS },
    body: new Uint8Array(),
    release: noRelease,
  };
}

/** A one-line plain text response that is not cached. */
export function textResponse(status: number, text: string, headers: Record<string, string>): FileResponse {
  const body = Buffer.from(`${text}\n`);
  const contentHeaders = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(body.length),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  return { status, headers: { ...headers, ...contentHeaders }, body, release: noRelease };
}

async function responseFrom(
  site: Site,
  file: OpenFile,
  { method, headers }: FileRequest,
  common: Record<string, string>,
): Promise<FileResponse> {
  const text = await rewritten(site, file, firstValue(headers['host']));
  const etag = text ? etagOf(text) : await site.etag(file);
  const size = text ? text.length : file.size;
  const modified = Math.min(text ? Math.max(file.modified, site.started) : file.modified, Date.now());
  const release = async (): Promise<void> => file.handle.close();
  const bytes = (start: number, end: number): FileResponse['body'] =>
    text?.subarray(start, end) ?? readRange(file, start, end);
  const full: Record<string, string> = {
    ...common,
    ...mediaHeaders(file.path),
    ETag: etag,
    'Last-Modified': new Date(modified).toUTCString(),
    'Accept-Ranges': 'bytes',
  };
  const representation = { etag, modified, size };
  const status = precondition(headers, representation);
  if (status !== null) {
    const { 'Content-Type': _, ...kept } = full;
    return {
      status,
      headers: status === 304 ? kept : { ...kept, 'Content-Length': '0' },
      body: new Uint8Array(),
      release,
    };
  }
  const range = method === 'GET' ? requestedRange(headers, representation) : null;
  if (range === 'unsatisfiable') {
    const refusal = textResponse(416, `The file has ${size} bytes.`, { ...common, 'Content-Range': `bytes */${size}` });
    return { ...refusal, release };
  }
  const { start, end } = range ?? { start: 0, end: size };
  full['Content-Length'] = String(end - start);
  if (range) full['Content-Range'] = `bytes ${start}-${end - 1}/${size}`;
  return { status: range ? 206 : 200, headers: full, body: bytes(start, end), release };
}

/** A JSON file's text with the base URL replaced; null if the file is served unchanged. */
async function rewritten(site: Site, file: OpenFile, host: string | undefined): Promise<Uint8Array | null> {
  if (site.rewriteFrom === null || !isDocument(file.path) || file.size > MAX_REWRITTEN_BYTES) return null;
  const text = (await readWhole(file)).toString('latin1');
  return Buffer.from(rewriteBase(text, site.rewriteFrom, site.address(host)), 'latin1');
}

/** True for a document of the registry, in which URLs may be rewritten. A companion file is evidence: it never changes. */
function isDocument(name: string): boolean {
  return suffixOf(name) === 'json' && companionKindOf(name) === null;
}

/**
 * The headers determined by a file's name. An archive never gets a Content-Encoding: clients would hash its decoded
 * content.
 */
function mediaHeaders(name: string): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': mediaTypeOf(name),
    'Cache-Control': cacheControlOf(name),
    'X-Content-Type-Options': 'nosniff',
    // Icons are loaded by <img> without CORS; this allows it also in cross-origin isolated pages.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  // Opened as a document, an SVG could run scripts; within <img> this has no effect.
  if (suffixOf(name) === 'svg')
    headers['Content-Security-Policy'] = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
  return headers;
}

/**
 * Replaces the base URL of a registry in every JSON string value that starts with it. Works on the text, so that
 * everything else is preserved byte for byte; `json` may hold each byte as one character (latin1).
 *
 * The base must end where a path segment ends: `https://a.example/reg` does not touch `https://a.example/registry2/`.
 * It is matched as written in `from` and in normalized form (host in lower case, no default port), with `/` or its
 * escape `\/`.
 */
export function rewriteBase(json: string, from: string, to: string): string {
  const pattern = patternOf(from);
  const target = to.replace(/\/+$/, '');
  let out = '';
  let done = 0;
  for (const match of json.matchAll(pattern)) {
    const end = match.index + match[0].length;
    if (isName(json, end)) continue;
    out += `${json.slice(done, match.index + 1)}${target}`;
    done = end;
  }
  return done === 0 ? json : out + json.slice(done);
}

/** A string's opening quote followed by the base, up to the end of a segment. */
function patternOf(base: string): RegExp {
  const spellings = new Set([base, parseUrl(base)?.href ?? base]);
  const patterns = [...spellings].map((spelling) => Array.from(spelling.replace(/\/+$/, ''), encodingsOf).join(''));
  return new RegExp(`"(?<!\\\\")(?:${patterns.join('|')})(?=["?#/]|\\\\/)`, 'g');
}

/** The possible encodings of a character in a JSON string (its UTF-8 bytes as latin1 characters). */
function encodingsOf(char: string): string {
  if (char === '/') return '\\\\?/';
  if (/[\w-]/.test(char)) return char;
  if (char <= '\u007f') return `\\${char}`;
  const units = Array.from({ length: char.length }, (_, i) => char.charCodeAt(i).toString(16).padStart(4, '0'));
  const lower = units.map((unit) => `\\\\u${unit}`).join('');
  const upper = units.map((unit) => `\\\\u${unit.toUpperCase()}`).join('');
  return `(?:${Buffer.from(char).toString('latin1')}|${lower}|${upper})`;
}

/** True if the string that continues at `index` is a property name: names are not rewritten. */
function isName(json: string, index: number): boolean {
  let i = index;
  while (i < json.length && json[i] !== '"') i += json[i] === '\\' ? 2 : 1;
  i++;
  while (json[i] === ' ' || json[i] === '\n' || json[i] === '\r' || json[i] === '\t') i++;
  return json[i] === ':';
}
