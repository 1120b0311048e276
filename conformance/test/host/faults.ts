import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Answer, Exchange, Fault } from './faulty-host.ts';

/** Hosts with one fault, and the cases that fail because of it. */

export interface FaultCase {
  name: string;
  fault: Fault;
}

const MANIFEST = '/registry.json';
const APP = '/apps/conformance-app/';

/** The correct response with other headers; undefined removes one. */
async function withHeaders(exchange: Exchange, changes: Record<string, string | undefined>): Promise<Answer> {
  const answer = await exchange.correct();
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete answer.headers[name];
    else answer.headers[name] = value;
  }
  return answer;
}

/** The response to the request without some of its headers. */
function without({ headers, correct }: Exchange, ...names: string[]): Promise<Answer> {
  return correct({ headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))) });
}

const isJson = ({ path }: Exchange): boolean => path.endsWith('.json') && !path.includes('.tar.gz');
const isArtifact = ({ path }: Exchange): boolean => path.endsWith('.tar.gz');
const refused = (status: number): Answer => ({
  status,
  headers: { 'Access-Control-Allow-Origin': '*' },
  body: Buffer.from('no'),
});
const page = (): Answer => ({
  status: 200,
  headers: { 'Content-Type': 'text/html', 'Access-Control-Allow-Origin': '*' },
  body: Buffer.from('<!doctype html><title>Home</title>'),
});
const missing =
  (...paths: string[]): Fault =>
  (exchange) =>
    paths.includes(exchange.path) ? refused(404) : exchange.correct();
/** A fault of some requests only. */
const when =
  (applies: (exchange: Exchange) => boolean, fault: Fault): Fault =>
  (exchange) =>
    applies(exchange) ? fault(exchange) : exchange.correct();
const removing =
  (...names: string[]): Fault =>
  (exchange) =>
    withHeaders(exchange, Object.fromEntries(names.map((name) => [name, undefined])));
const sending =
  (headers: Record<string, string>): Fault =>
  (exchange) =>
    withHeaders(exchange, headers);

async function compressed(exchange: Exchange): Promise<Answer> {
  const answer = await without(exchange, 'range');
  const body = gzipSync(answer.body);
  const headers = { ...answer.headers, 'Content-Encoding': 'gzip', 'Content-Length': String(body.length) };
  return answer.status === 200 ? { ...answer, headers: { ...headers, ETag: '"compressed"' }, body } : answer;
}

/** A host that stores what a stranger sends. */
function writable(method: string): Fault {
  let written = false;
  const path = `/methods/${method.toLowerCase()}.json`;
  return (exchange) => {
    if (exchange.path === path && exchange.method === method) {
      written = true;
      return { status: 204, headers: {}, body: Buffer.alloc(0) };
    }
    return exchange.path === path && written ? refused(404) : exchange.correct();
  };
}

/** A host that answers eight requests for a metadata file at once. */
async function limited(exchange: Exchange): Promise<Answer> {
  if (exchange.path !== `${APP}versions.json`) return exchange.correct();
  await sleep(20);
  return exchange.inFlight > 8 ? refused(429) : exchange.correct();
}

export const FAULTS: readonly FaultCase[] = [
  { name: 'the manifest is missing', fault: missing(MANIFEST) },
  { name: 'the metadata file is missing', fault: missing(`${APP}versions.json`) },
  { name: 'an artifact is missing', fault: missing(`${APP}versions/1.0.0.tar.gz`) },
  { name: 'icons are missing', fault: missing(`${APP}icon.svg`, `${APP}icon.png`) },
  {
    name: 'companion files are missing',
    fault: missing(`${APP}versions/1.0.0.tar.gz.sigstore.json`, `${APP}versions/1.0.0.tar.gz.cdx.json`),
  },
  {
    name: 'a large file is cut',
    fault: when(
      ({ path, headers }) => path.endsWith('2.0.0.tar.gz') && headers['range'] === undefined,
      async ({ correct }) => {
        const answer = await correct();
        return {
          ...answer,
          headers: { ...answer.headers, 'Content-Length': '65536' },
          body: answer.body.subarray(0, 65_536),
        };
      },
    ),
  },
  {
    name: 'pages are refused by a resource isolation policy',
    fault: when(
      ({ header }) => header('sec-fetch-mode') === 'cors',
      () => refused(403),
    ),
  },
  {
    name: 'hotlinks are refused',
    fault: when(
      ({ header }) => header('sec-fetch-dest') === 'image',
      () => refused(403),
    ),
  },
  {
    name: 'servers have different files',
    fault: when(
      (exchange) => isArtifact(exchange) && exchange.inFlight > 4,
      async ({ correct }) => {
        const answer = await correct();
        return { ...answer, body: Buffer.alloc(answer.body.length) };
      },
    ),
  },
  {
    name: 'the manifest is redirected',
    fault: when(
      ({ target, method }) => target === MANIFEST && method === 'GET',
      () => ({
        status: 302,
        headers: { Location: `${MANIFEST}?moved`, 'Access-Control-Allow-Origin': '*' },
        body: Buffer.alloc(0),
      }),
    ),
  },
  {
    name: 'a query is refused',
    fault: when(
      ({ target }) => target.includes('?'),
      () => refused(403),
    ),
  },
  {
    name: 'long URLs are refused',
    fault: when(
      ({ target }) => target.length > 2000,
      () => refused(414),
    ),
  },
  { name: 'a cookie is set', fault: sending({ 'Set-Cookie': 'session=1' }) },
  {
    name: 'HEAD is refused',
    fault: when(
      ({ method }) => method === 'HEAD',
      () => refused(405),
    ),
  },
  {
    name: 'HEAD has another length',
    fault: when(({ method }) => method === 'HEAD', sending({ 'Content-Length': '1' })),
  },
  {
    name: 'HEAD has no CORS header',
    fault: when(({ method }) => method === 'HEAD', removing('Access-Control-Allow-Origin')),
  },
  { name: 'artifacts have no length', fault: when(isArtifact, removing('Content-Length')) },
  { name: 'JSON has the type of a page', fault: when(isJson, sending({ 'Content-Type': 'text/html' })) },
  {
    name: 'all files have the type of text',
    fault: when((exchange) => !isJson(exchange), sending({ 'Content-Type': 'text/plain' })),
  },
  {
    name: 'artifacts are compressed again',
    fault: when((exchange) => isArtifact(exchange) && exchange.header('accept-encoding').includes('gzip'), compressed),
  },
  {
    name: 'artifacts are declared as compressed tar files',
    fault: when(isArtifact, sending({ 'Content-Encoding': 'gzip' })),
  },
  {
    name: 'JSON is declared as compressed, and is not',
    fault: when(
      (exchange) => isJson(exchange) && exchange.header('accept-encoding') !== 'identity',
      sending({ 'Content-Encoding': 'gzip' }),
    ),
  },
  { name: 'JSON is always compressed', fault: when(isJson, compressed) },
  {
    name: 'compressed JSON has no Vary',
    fault: when((exchange) => isJson(exchange) && exchange.header('accept-encoding').includes('gzip'), compressed),
  },
  { name: 'ranges are ignored', fault: (exchange) => without(exchange, 'range') },
  {
    name: 'ranges are wrong by one byte',
    fault: when(
      ({ headers }) => headers['range'] !== undefined,
      async (exchange) => {
        const answer = await exchange.correct();
        const { body } = await without(exchange, 'range');
        return answer.status === 206 ? { ...answer, body: body.subarray(1, 1 + answer.body.length) } : answer;
      },
    ),
  },
  {
    name: 'a range beyond the end gets the file',
    fault: async (exchange) => {
      const answer = await exchange.correct();
      return answer.status === 416 ? without(exchange, 'range') : answer;
    },
  },
  { name: 'If-Range is ignored', fault: (exchange) => without(exchange, 'if-range') },
  {
    name: 'If-Range never matches',
    fault: when(
      ({ headers }) => headers['if-range'] !== undefined,
      (exchange) => without(exchange, 'range'),
    ),
  },
  {
    name: 'a range has no CORS header',
    fault: when(({ headers }) => headers['range'] !== undefined, removing('Access-Control-Allow-Origin')),
  },
  { name: 'there is no CORS header', fault: removing('Access-Control-Allow-Origin') },
  {
    name: 'only pages with a host are allowed',
    fault: when(({ header }) => header('origin') === 'null', removing('Access-Control-Allow-Origin')),
  },
  {
    name: 'the CORS header depends on Origin, without Vary',
    fault: when(({ headers }) => headers['origin'] === undefined, removing('Access-Control-Allow-Origin')),
  },
  {
    name: 'a response 304 allows another origin',
    fault: when(
      ({ headers }) => headers['if-none-match'] !== undefined,
      sending({ 'Access-Control-Allow-Origin': 'https://other.example' }),
    ),
  },
  { name: 'credentials are allowed', fault: sending({ 'Access-Control-Allow-Credentials': 'true' }) },
  {
    name: 'icons may not be embedded',
    fault: when(({ path }) => path.includes('icon'), sending({ 'Cross-Origin-Resource-Policy': 'same-origin' })),
  },
  {
    name: 'preflights are refused',
    fault: when(
      ({ method }) => method === 'OPTIONS',
      () => refused(405),
    ),
  },
  {
    name: 'preflights allow a wildcard only',
    fault: when(({ method }) => method === 'OPTIONS', sending({ 'Access-Control-Allow-Headers': '*' })),
  },
  {
    name: 'preflights allow one header',
    fault: when(
      ({ method }) => method === 'OPTIONS',
      sending({ 'Access-Control-Allow-Headers': 'x-conformance, authorization' }),
    ),
  },
  { name: 'there is no ETag', fault: removing('ETag') },
  {
    name: 'each response has another ETag',
    fault: async (exchange) => {
      const answer = await without(exchange, 'if-none-match');
      return { ...answer, headers: { ...answer.headers, ETag: `"${crypto.randomUUID()}"` } };
    },
  },
  { name: 'If-None-Match is ignored', fault: (exchange) => without(exchange, 'if-none-match') },
  {
    name: 'If-None-Match always matches',
    fault: (exchange) =>
      'if-none-match' in exchange.headers
        ? exchange.correct({ headers: { ...exchange.headers, 'if-none-match': '*' } })
        : exchange.correct(),
  },
  { name: 'there is no Last-Modified', fault: removing('Last-Modified') },
  { name: 'If-Modified-Since is ignored', fault: (exchange) => without(exchange, 'if-modified-since') },
  {
    name: 'If-Modified-Since always matches',
    fault: (exchange) =>
      'if-modified-since' in exchange.headers
        ? exchange.correct({
            headers: { ...exchange.headers, 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() },
          })
        : exchange.correct(),
  },
  { name: 'there is no lifetime', fault: removing('Cache-Control') },
  {
    name: 'everything is cached for a year',
    fault: sending({ 'Cache-Control': 'public, max-age=31536000, immutable' }),
  },
  {
    name: 'case does not matter',
    fault: ({ target, correct }) => correct({ target: target.replace(/conformance_app-09/i, 'Conformance_APP-09') }),
  },
  {
    name: 'a key in upper case is not found',
    fault: ({ target, correct }) => correct({ target: target.toLowerCase() }),
  },
  {
    name: 'escapes are not decoded',
    fault: when(
      ({ path }) => path.includes('%'),
      () => refused(404),
    ),
  },
  {
    name: 'a plus sign is a space',
    fault: ({ target, correct }) => correct({ target: target.replaceAll(/\+|%2B/g, '%20') }),
  },
  {
    name: 'a missing file gets the page of the site',
    fault: async (exchange) => {
      const answer = await exchange.correct();
      return answer.status === 404 ? page() : answer;
    },
  },
  ...['PUT', 'POST', 'DELETE'].map((method) => ({ name: `${method} is allowed`, fault: writable(method) })),
  { name: 'many requests at once are refused', fault: limited },
  { name: 'connections are closed', fault: sending({ Connection: 'close' }) },
];
