import { Readable } from 'node:stream';
import undici from 'undici';

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
  body?: Uint8Array | string | null;
  /** Milliseconds for all of it; where nothing moves any more, it ends sooner. */
  timeout: number;
}

interface WebAnswer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  bytes: Buffer;
}

export type Web = (url: URL, request: WebRequest) => Promise<WebAnswer>;

/** So many bytes of a body are handed over at a time. */
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

  return async (url, { method, headers, body = null, timeout }) => {
    const proxy = proxyFor(url);
    const answer = await undici.request(url, {
      method,
      headers: body === null ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      // Handed over as a whole, an upload would have to be through within the time that its answer may take.
      body: body instanceof Uint8Array && body.length > PORTION ? Readable.from(portionsOf(body)) : body,
      headersTimeout: Math.min(timeout, 5 * idle),
      bodyTimeout: Math.min(timeout, idle),
      signal: AbortSignal.timeout(timeout),
      ...(proxy && { dispatcher: over(proxy) }),
    });
    return {
      status: answer.statusCode,
      headers: answer.headers as WebAnswer['headers'],
      bytes: Buffer.from(await answer.body.arrayBuffer()),
    };
  };
}

function* portionsOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += PORTION) yield body.subarray(at, at + PORTION);
}
