import { Readable } from 'node:stream';
import undici from 'undici';
import { type Bytes, chunksOf, isFileBytes } from '../bytes.ts';

/** Asking an object store, or whoever gives its credentials. */

interface WebProxy {
  /** Without credentials. */
  uri: string;
  /** The value of Proxy-Authorization, or null. */
  authorization: string | null;
}

/** The proxy that a URL is asked over; null for none. Throws where one is named that cannot be used. */
export type WebProxyFor = (url: URL) => WebProxy | null;

interface WebRequest {
  method: 'GET' | 'PUT' | 'POST';
  headers: Record<string, string>;
  body?: Bytes | string | null;
  /** Takes the body of an answer with a status below 300, in place of `bytes`. */
  sink?: ((chunk: Uint8Array) => void) | null;
  /** Milliseconds for all of it; where nothing moves any more, it ends sooner. */
  timeout: number;
  /** Ends the request when it is aborted. */
  signal?: AbortSignal;
}

interface WebAnswer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  bytes: Buffer;
}

export type Web = (url: URL, request: WebRequest) => Promise<WebAnswer>;

/** Larger bodies, in bytes, are handed over in portions. */
const PORTION = 65_536;

/**
 * @param idle milliseconds without a byte in either direction; for an answer to begin it may be five times that
 * @throws what undici does where no whole answer comes; redirects are not followed
 */
export function openWeb(proxyFor: WebProxyFor = () => null, idle = 60_000): Web {
  const agents = new Map<string, InstanceType<typeof undici.ProxyAgent>>();

  function over({ uri, authorization }: WebProxy): InstanceType<typeof undici.ProxyAgent> {
    const known = agents.get(uri);
    if (known) return known;
    // Plain http is no matter for a tunnel: many proxies allow those to port 443 alone.
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
    const head = { status, headers: answer.headers as WebAnswer['headers'] };
    if (sink === null || status >= 300) return { ...head, bytes: Buffer.from(await answer.body.arrayBuffer()) };
    for await (const chunk of answer.body as AsyncIterable<Buffer>) sink(chunk);
    return { ...head, bytes: Buffer.alloc(0) };
  };
}

function lengthOf(body: Bytes | string): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

/** As a whole, an upload would have to be complete within the time that its answer may take. */
function sendable(body: Bytes): Uint8Array | Readable {
  if (!isFileBytes(body) && body.length <= PORTION) return body;
  return Readable.from(chunksOf(body), { objectMode: false, highWaterMark: PORTION });
}
