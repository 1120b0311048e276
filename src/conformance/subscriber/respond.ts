import { gzipSync } from 'node:zlib';
import type { Behaviour } from '../hosts/behaviour.ts';
import {
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
import type { ServedFile } from './case.ts';

/** What a host does with the requests for a file. */

/** How the texts and bodies of a file are made. */
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
