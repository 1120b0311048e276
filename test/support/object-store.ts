import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An object store in memory that keeps, breaks or never heard of the promises that the real ones make. */

interface StoredObject {
  bytes: Buffer;
  etag: string;
  generation: number;
  headers: Record<string, string>;
}

export interface ObjectStore {
  endpoint: string;
  objects: Map<string, StoredObject>;
  requests: { method: string; key: string; headers: Record<string, string | undefined> }[];
  /** Mishaps of the next PUTs, first to last. */
  next: Mishap[];
  /** The mishap for a key (default: the next of `next`). */
  mishapOf(key: string): Mishap | undefined;
  /** Requests that were in flight at the same time, at most. */
  mostAtOnce: number;
  /** The error code for credentials; null if they are valid (default: all are). */
  refusalOf(accessKeyId: string): string | null;
  close(): Promise<void>;
}

export type Mishap =
  | 'reset-before'
  | 'reset-after'
  | '500-before'
  | '500-after'
  | '503'
  | '409'
  | '403'
  | 'truncate'
  /** Responds with 200, and has the previous object. */
  | 'keep-old'
  /** Responds with 200, and has a different object. */
  | 'keep-other'
  /** Stores the object, and responds after 30 s. */
  | 'slow-answer';
export interface ObjectStoreOptions {
  /** `s3` by entity tags, `google` by generations; `ignores` takes every write; `unknown` answers conditions with 501. */
  conditions?: 's3' | 'google' | 'ignores' | 'unknown';
  /** Responds to every request with this error and the message `says`; with `writes`, only to those that write. */
  error?: { status: number; code: string; says?: string; writes?: boolean };
  /** Milliseconds until an answer begins. */
  delay?: number;
  /** Listing of its keys: not at all, or in pages of this size, sorted or not. */
  lists?: { page: number; sorted?: boolean };
}

function refuse(response: ServerResponse, status: number, code: string, says = `The code is ${code}.`): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${says}</Message></Error>`);
}

export async function openObjectStore({
  conditions = 's3',
  error,
  delay = 0,
  lists,
}: ObjectStoreOptions = {}): Promise<ObjectStore> {
  const objects = new Map<string, StoredObject>();
  const store: ObjectStore = {
    endpoint: '',
    objects,
    requests: [],
    next: [],
    mishapOf: () => store.next.shift(),
    mostAtOnce: 0,
    refusalOf: () => null,
    close: async () => {},
  };
  let generation = 1;

  function holds(key: string, headers: IncomingMessage['headers']): boolean {
    const there = objects.get(key);
    if (conditions === 'google') {
      const condition = headers['x-goog-if-generation-match'];
      return condition === undefined || Number(condition) === (there?.generation ?? 0);
    }
    if (conditions !== 's3') return true;
    if (headers['if-none-match'] === '*' && there) return false;
    return headers['if-match'] === undefined || headers['if-match'] === there?.etag;
  }

  function put(key: string, bytes: Buffer, request: IncomingMessage, response: ServerResponse): void {
    const mishap = store.mishapOf(key);
    const conditional = request.headers['if-match'] ?? request.headers['if-none-match'];
    if (mishap === 'reset-before') return void request.socket.destroy();
    if (mishap === '500-before') return refuse(response, 500, 'InternalError');
    if (mishap === '503') return refuse(response, 503, 'SlowDown');
    if (mishap === '403') return refuse(response, 403, 'AccessDenied');
    if (mishap === '409') return refuse(response, 409, 'ConditionalRequestConflict');
    if (conditions === 'unknown' && conditional) return refuse(response, 501, 'NotImplemented');
    if (conditions === 's3' && request.headers['if-match'] && !objects.has(key))
      return refuse(response, 404, 'NoSuchKey');
    if (!holds(key, request.headers)) return refuse(response, 412, 'PreconditionFailed');
    const md5 = createHash('md5').update(bytes).digest();
    if (request.headers['content-md5'] !== md5.toString('base64')) return refuse(response, 400, 'BadDigest');
    if (mishap === 'keep-old') {
      response.writeHead(200, { etag: `"${md5.toString('hex')}"`, 'x-goog-generation': String(++generation) });
      return void response.end();
    }
    if (mishap === 'keep-other') {
      objects.set(key, { bytes: Buffer.from('other'), etag: `"${++generation}"`, generation, headers: {} });
      return void response.writeHead(200, { etag: `"${md5.toString('hex')}"` }).end();
    }
    const stored = mishap === 'truncate' ? bytes.subarray(0, bytes.length >> 1) : bytes;
    const { 'content-type': type = '', 'cache-control': cache = '' } = request.headers;
    const own = Object.entries(request.headers).filter(([name]) => /^x-(amz|goog)-meta-/.test(name));
    const headers = { 'content-type': type, 'cache-control': cache, ...Object.fromEntries(own) } as Record<
      string,
      string
    >;
    objects.set(key, { bytes: stored, etag: `"${md5.toString('hex')}"`, generation: ++generation, headers });
    if (mishap === 'slow-answer') {
      setTimeout(() => response.writeHead(200).end(), 30_000).unref();
      return;
    }
    if (mishap === 'reset-after') return void request.socket.destroy();
    if (mishap === '500-after') return refuse(response, 500, 'InternalError');
    response.writeHead(200, { etag: `"${md5.toString('hex')}"`, 'x-goog-generation': String(generation) });
    response.end();
  }

  function list(bucket: string, query: URLSearchParams, response: ServerResponse): void {
    const { page, sorted = true } = lists!;
    const prefix = `${bucket}${query.get('prefix') ?? ''}`;
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(bucket.length));
    keys.sort((a, b) => (a < b === sorted ? -1 : 1));
    const from = Number(query.get('continuation-token') ?? 0);
    const isTruncated = from + page < keys.length;
    const contents = keys.slice(from, from + page).map((key) => `<Contents><Key>${key}</Key></Contents>`);
    const next = isTruncated ? `<NextContinuationToken>${from + page}</NextContinuationToken>` : '';
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(
      `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
    );
  }

  let inFlight = 0;
  const server = createServer((request, response) => {
    store.mostAtOnce = Math.max(store.mostAtOnce, ++inFlight);
    response.on('close', () => inFlight--);
    const { searchParams } = new URL(request.url!, 'http://x');
    const key = decodeURIComponent(new URL(request.url!, 'http://x').pathname.slice(1));
    store.requests.push({ method: request.method!, key, headers: request.headers as Record<string, string> });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    const answer = (): void => {
      const names = Object.keys(request.headers);
      if (conditions === 'google' && ['x-amz-', 'x-goog-'].every((own) => names.some((name) => name.startsWith(own))))
        return refuse(response, 400, 'ExcessHeaderValues', 'Requests cannot specify both x-amz and x-goog headers.');
      const id = /Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const refusal = store.refusalOf(id);
      if (refusal !== null) return refuse(response, refusal.startsWith('Invalid') ? 403 : 400, refusal);
      if (error && (!error.writes || request.method === 'PUT'))
        return refuse(response, error.status, error.code, error.says);
      if (request.method === 'PUT') return put(key, Buffer.concat(chunks), request, response);
      if (lists && searchParams.has('list-type')) return list(key, searchParams, response);
      const there = objects.get(key);
      if (request.method === 'DELETE') {
        objects.delete(key);
        return void response.writeHead(204).end();
      }
      if (!there) return refuse(response, 404, 'NoSuchKey');
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      if (from !== undefined && Number(from) >= there.bytes.length) return refuse(response, 416, 'InvalidRange');
      if (from !== undefined)
        return void response.writeHead(206).end(there.bytes.subarray(Number(from), Number(to) + 1));
      response.writeHead(200, { ...there.headers, etag: there.etag, 'x-goog-generation': String(there.generation) });
      response.end(request.method === 'HEAD' ? undefined : there.bytes);
    };
    request.on('end', () => (delay === 0 ? answer() : void setTimeout(answer, delay)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  store.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  store.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return store;
}
