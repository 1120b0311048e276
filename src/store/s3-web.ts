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
  /** Milliseconds for all of it. */
  timeout: number;
}

interface WebAnswer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  bytes: Buffer;
}

export type Web = (url: URL, request: WebRequest) => Promise<WebAnswer>;

/** @throws what undici does where no whole answer comes; redirects are not followed */
export function openWeb(proxyFor: WebProxyFor = () => null): Web {
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
      headers,
      body,
      headersTimeout: Math.min(timeout, 60_000),
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
