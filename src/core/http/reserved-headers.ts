/** Request headers that the HTTP client sets itself, or that belong to one connection (RFC 9110 section 7.6.1). */

const RESERVED = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'origin',
  'range',
  'te',
  'upgrade',
  'expect',
  'keep-alive',
  'trailer',
]);

/** Headers that change what a request asks for, or that proxies interpret: they are not credentials. */
const NOT_CREDENTIALS =
  /^(accept(-.*)?|content-.*|if-.*|sec-.*|proxy-.*|access-control-.*|x-forwarded-.*|forwarded|via|user-agent|referer|date|cache-control|pragma|max-forwards|alt-used|early-data|http2-settings|priority|dnt)$/;

/** True for a header that the client sets itself, or to emulate a browser; another value would invalidate the facts. */
export function isReservedHeader(name: string): boolean {
  return RESERVED.has(name.toLowerCase());
}

/** True for a header that may carry the credentials of a registry. */
export function isCredentialHeader(name: string): boolean {
  return isHeaderName(name) && !isReservedHeader(name) && !NOT_CREDENTIALS.test(name.toLowerCase());
}

/** A token as in RFC 9110 section 5.6.2. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}
