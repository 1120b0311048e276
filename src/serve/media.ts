import { cacheControlOf, mediaTypeOf, suffixOf } from '../core/http/media.ts';

export function isJson(name: string): boolean {
  return suffixOf(name) === 'json';
}

/**
 * The headers determined by a file's name. An archive never gets a Content-Encoding: clients would hash its decoded
 * content.
 */
export function mediaHeaders(name: string): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': mediaTypeOf(name),
    'Cache-Control': cacheControlOf(name),
    'X-Content-Type-Options': 'nosniff',
    // Icons are loaded by <img> without CORS; this allows it also in cross-origin isolated pages.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  // Opened as a document, an SVG could run scripts; within <img> this has no effect.
  if (suffixOf(name) === 'svg')
    headers['Content-Security-Policy'] = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
  return headers;
}
