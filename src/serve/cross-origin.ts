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
