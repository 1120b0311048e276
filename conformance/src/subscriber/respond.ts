import { createHash } from 'node:crypto';
import { gzipSync, gunzipSync } from 'node:zlib';
import {
  type Behaviour,
  answer,
  byMethod,
  CORS,
  cutShort,
  delayed,
  endless,
  inTurn,
  raw,
  redirect,
  reset,
  silent,
} from '../hosts/behaviours.ts';
import { entry, tgz } from '../hosts/tar-builder.ts';
import type { ServedFile, ArchiveEntry } from '../case/subscriber.ts';

/** Responses of a host to the requests for a file. */

/** Makes the texts and bodies of a file. */
interface Content {
  /** Replaces names in a text. */
  expand(text: string): string;
  body(file: ServedFile): Buffer;
}

/** The response to each request for a file. @param path its extension decides the type */
export function behaviourOf(path: string, file: ServedFile, content: Content): Behaviour {
  const { then, delay } = file;
  const response = responseOf(path, file, content);
  const own = delay === undefined ? response : delayed(delay, response);
  return then === undefined ? own : inTurn(own, behaviourOf(path, then, content));
}

function responseOf(path: string, spec: ServedFile, { expand, body }: Content): Behaviour {
  switch (spec.fault) {
    case 'reset':
      return reset();
    case 'silent':
      return silent();
    case 'endless':
      return endless(headerLines(headersOf(path, spec, expand)));
    case undefined:
  }
  const headers = headersOf(path, spec, expand);
  if (spec.redirect !== undefined) return redirect(expand(spec.redirect), spec.status ?? 302, headers);
  const bytes = body(spec);
  if (spec.cut !== undefined) return cutShort(bytes.length, bytes.subarray(0, spec.cut), 'end', headerLines(headers));
  if (spec.framing === 'chunked' || spec.framing === 'cut-chunk')
    return chunked(bytes, headerLines(headers), spec.framing === 'chunked');
  const plain = byMethod({
    GET: answer({
      status: spec.status ?? 200,
      headers,
      body: bytes,
      ...(spec.framing === 'close' ? { length: null } : {}),
    }),
  });
  return withEncoding(withTag(plain, spec.etag, headers), { spec, headers, bytes });
}

/** 304 to a request with the entity tag. */
function withTag(behaviour: Behaviour, etag: string | undefined, headers: Record<string, string>): Behaviour {
  if (etag === undefined) return behaviour;
  return (request, socket) => {
    const isKnown = request.headers['if-none-match'] === etag;
    return (isKnown ? answer({ status: 304, headers }) : behaviour)(request, socket);
  };
}

function withEncoding(
  behaviour: Behaviour,
  { spec, headers, bytes }: { spec: ServedFile; headers: Record<string, string>; bytes: Buffer },
): Behaviour {
  if (spec.gzip === undefined) return behaviour;
  const encoded = byMethod({
    GET: answer({
      status: spec.status ?? 200,
      headers: { ...headers, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' },
      body: gzipSync(bytes),
    }),
  });
  return (request, socket) => {
    const isAccepted = spec.gzip === 'always' || /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    return (isAccepted ? encoded : behaviour)(request, socket);
  };
}

/** In two chunks; without the end of the body if `isWhole` is false. */
function chunked(bytes: Buffer, headers: string, isWhole: boolean): Behaviour {
  const half = Math.ceil(bytes.length / 2);
  const parts = [bytes.subarray(0, half), ...(isWhole ? [bytes.subarray(half)] : [])].filter((one) => one.length > 0);
  const chunks = parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
  const head = Buffer.from(`HTTP/1.1 200 OK\r\n${headers}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`);
  const get = raw(Buffer.concat([head, ...chunks, Buffer.from(isWhole ? '0\r\n\r\n' : '')]));
  return byMethod({ GET: get, HEAD: raw(head) });
}

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  gz: 'application/gzip',
  svg: 'image/svg+xml',
  png: 'image/png',
};

/** The headers of a correct host for this type of file, with those of the script. */
function headersOf(path: string, spec: ServedFile, expand: (text: string) => string): Record<string, string> {
  const type = TYPES[path.replace(/^.*\./, '')] ?? 'application/json';
  const all: Record<string, string | null> = {
    'Content-Type': type,
    ...(type === 'application/json' ? { 'Cache-Control': 'public, max-age=300' } : {}),
    ...CORS,
    ...(spec.etag === undefined ? {} : { ETag: spec.etag }),
    ...spec.headers,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, expand(value)]])),
  );
}

function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

// The bytes that the hosts of a script serve. Pure.

/** Values of the names in the texts of a script. */
export interface Names {
  /** The origins of hosts by name, and other values. */
  values: ReadonlyMap<string, string>;
  /** The files of the hosts, by place. */
  files: ReadonlyMap<string, ServedFile>;
}

type Members = Readonly<Record<string, unknown>>;

/** The body of a response. @throws Error if the script is invalid */
export function bodyOf(file: ServedFile, names: Names): Buffer {
  const body = wholeBodyOf(file, names).subarray(0, file.first);
  return Buffer.concat([body, Buffer.alloc(Math.max(0, (file.padTo ?? 0) - body.length), ' ')]);
}

function wholeBodyOf({ apps, versions, json, text, base64, archive, same }: ServedFile, names: Names): Buffer {
  if (apps !== undefined) return jsonBody({ apps: entriesOf(apps) }, names);
  if (versions !== undefined) return jsonBody({ versions: versionsOf(versions) }, names);
  if (json !== undefined) return jsonBody(json, names);
  if (text !== undefined) return Buffer.from(expandText(text, names));
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  if (archive !== undefined) return archiveOf(archive);
  return same === undefined ? Buffer.alloc(0) : bytesAt(same, names);
}

function jsonBody(value: unknown, names: Names): Buffer {
  return Buffer.from(expandText(JSON.stringify(value), names));
}

function entriesOf(apps: Readonly<Record<string, Members>>): Members {
  return Object.fromEntries(
    Object.entries(apps).map(([key, members]) => [
      key,
      withMembers(
        {
          name: `The ${key}`,
          description: `Controls a ${key}.`,
          blockStyle: { iconUrl: '{registry}/icon.svg', color: '#336699' },
          appMetadataUrl: `{registry}/${key}.json`,
        },
        members,
      ),
    ]),
  );
}

function versionsOf(versions: Readonly<Record<string, Members>>): Members[] {
  return Object.entries(versions).map(([version, { path = `/lamp-${version}.tar.gz`, ...members }]) =>
    withMembers(
      { version, artifactUrl: `{registry}${String(path)}`, artifactChecksum: `sha256:{sha256:${String(path)}}` },
      members,
    ),
  );
}

/** The object with some members replaced; null deletes one. */
function withMembers(whole: Members, members: Members): Members {
  return Object.fromEntries(Object.entries({ ...whole, ...members }).filter(([, value]) => value !== null));
}

function archiveOf(entries: readonly ArchiveEntry[]): Buffer {
  return tgz(
    ...entries.map(({ path, text = '', zeros, type, link }) =>
      entry(path, zeros === undefined ? text : Buffer.alloc(zeros), {
        ...(type === undefined ? {} : { type }),
        ...(link === undefined ? {} : { link }),
      }),
    ),
  );
}

function bytesAt(place: string, names: Names): Buffer {
  const file = names.files.get(place);
  if (file === undefined) throw new Error(`The script names the bytes of ${place}, which it does not serve.`);
  return bodyOf(file, names);
}

const DIGESTS: Readonly<Record<string, (bytes: Buffer) => string>> = {
  sha256: (bytes) => digest('sha256', bytes),
  SHA256: (bytes) => digest('sha256', bytes).toUpperCase(),
  sha1: (bytes) => digest('sha1', bytes),
  md5: (bytes) => digest('md5', bytes),
  sri: (bytes) => createHash('sha256').update(bytes).digest('base64'),
  unzipped: (bytes) => digest('sha256', gunzipSync(bytes)),
};

function digest(algorithm: string, bytes: Buffer): string {
  return createHash(algorithm).update(bytes).digest('hex');
}

/** Replaces `{name}` and `{digest:/path}`. @throws Error for an unknown name */
export function expandText(text: string, names: Names): string {
  return text.replace(/\{([a-zA-Z][\w-]*)(?::([^{}"]+))?\}/g, (_, name: string, place: string | undefined) => {
    const value = place === undefined ? names.values.get(name) : DIGESTS[name]?.(bytesAt(place, names));
    if (value === undefined) throw new Error(`The script names the unknown value {${name}}.`);
    return value;
  });
}
