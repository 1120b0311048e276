import { Readable } from 'node:stream';
import undici from 'undici';
import { type Bytes, chunksOf, isFileBytes } from '../bytes.ts';

/** Requests to an object store, or to a provider of its credentials. */

interface StoreProxy {
  /** Without credentials. */
  uri: string;
  /** The value of Proxy-Authorization, or null. */
  authorization: string | null;
}

/** The proxy for a URL; null for none. Throws if an unusable one is configured. */
export type StoreProxyFor = (url: URL) => StoreProxy | null;

interface StoreRequest {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  headers: Record<string, string>;
  body?: Bytes | string | null;
  /** Receives a response body with a status below 300, instead of `bytes`. */
  sink?: ((chunk: Uint8Array) => void) | null;
  /** Milliseconds in total; without any transfer, the request ends sooner. */
  timeout: number;
  /** Ends the request when it is aborted. */
  signal?: AbortSignal;
}

interface StoreResponse {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  bytes: Buffer;
}

export type SendRequest = (url: URL, request: StoreRequest) => Promise<StoreResponse>;

/** Larger bodies, in bytes, are sent in portions. */
const PORTION = 65_536;

/**
 * @param idle milliseconds without a byte in either direction; a response may take five times that to start
 * @throws undici's errors without a complete response; redirects are not followed
 */
export function openHttp(proxyFor: StoreProxyFor = () => null, idle = 60_000): SendRequest {
  const agents = new Map<string, InstanceType<typeof undici.ProxyAgent>>();

  function over({ uri, authorization }: StoreProxy): InstanceType<typeof undici.ProxyAgent> {
    const known = agents.get(uri);
    if (known) return known;
    // Plain http is not tunnelled: many proxies allow tunnels only to port 443.
    const token = authorization === null ? {} : { token: authorization };
    const agent = new undici.ProxyAgent({ uri, proxyTunnel: false, ...token });
    agents.set(uri, agent);
    return agent;
  }

  return async (url, { method, headers, body = null, sink = null, timeout, signal }) => {
    const proxy = proxyFor(url);
    const answer = await undici.request(url, {
      method,
      headers: body === null ? headers : { ...headers, 'content-length': String(lengthOf(body)) },
      body: body === null || typeof body === 'string' ? body : sendable(body),
      headersTimeout: Math.min(timeout, 5 * idle),
      bodyTimeout: Math.min(timeout, idle),
      signal: signal ? AbortSignal.any([signal, AbortSignal.timeout(timeout)]) : AbortSignal.timeout(timeout),
      ...(proxy && { dispatcher: over(proxy) }),
    });
    const { statusCode: status } = answer;
    const head = { status, headers: oneValueEach(answer.headers) };
    if (sink === null || status >= 300) return { ...head, bytes: Buffer.from(await answer.body.arrayBuffer()) };
    for await (const chunk of answer.body) sink(chunk);
    return { ...head, bytes: Buffer.alloc(0) };
  };
}

/** Repeated headers are combined (RFC 9110 section 5.3). */
function oneValueEach(headers: Readonly<Record<string, string | string[] | undefined>>): StoreResponse['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

function lengthOf(body: Bytes | string): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

/** As a single buffer, an upload would have to be complete within the time limit of its response. */
function sendable(body: Bytes): Uint8Array | Readable {
  if (!isFileBytes(body) && body.length <= PORTION) return body;
  return Readable.from(chunksOf(body), { objectMode: false, highWaterMark: PORTION });
}

interface SdkRequest {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Readonly<Record<string, string | string[] | null>>;
  headers: Record<string, string>;
  body?: unknown;
}

interface SdkResponse {
  response: { statusCode: number; headers: Record<string, string>; body: Readable };
}

/** Milliseconds for a request of the SDK. */
const SDK_TIMEOUT = 10_000;

/** Sends the requests of the SDK of AWS by a client, and so over its proxies. */
export function requestHandler(web: SendRequest): { handle(request: SdkRequest): Promise<SdkResponse> } {
  return {
    async handle({ method, protocol, hostname, port, path, query = {}, headers, body }) {
      const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
      for (const [name, values] of Object.entries(query))
        for (const value of [values].flat()) url.searchParams.append(name, value ?? '');
      const { host: _, 'content-length': __, ...sent } = headers;
      const content = typeof body === 'string' || body instanceof Uint8Array ? body : null;
      const answer = await web(url, {
        method: checkedMethod(method),
        headers: sent,
        body: content,
        timeout: SDK_TIMEOUT,
      });
      const received = Object.entries(answer.headers).filter((pair): pair is [string, string] => pair[1] !== undefined);
      return {
        response: {
          statusCode: answer.status,
          headers: Object.fromEntries(received),
          body: Readable.from([answer.bytes]),
        },
      };
    },
  };
}

function checkedMethod(method: string): StoreRequest['method'] {
  if (method === 'GET' || method === 'PUT' || method === 'POST' || method === 'DELETE') return method;
  throw new TypeError(`the method ${method} is not used`);
}
