import { cacheControlOf, mediaTypeOf, suffixOf } from '../core/http/media.ts';

export function isJson(name: string): boolean {
  return suffixOf(name) === 'json';
}

/**
 * The headers that follow from a file's name. An archive is never labelled with a Content-Encoding: clients would hash
 * its inside.
 */
export function mediaHeaders(name: string): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': mediaTypeOf(name),
    'Cache-Control': cacheControlOf(name),
    'X-Content-Type-Options': 'nosniff',
    // An icon is shown by <img>, which asks without CORS; this lets pages that isolate themselves show it too.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  // Opened as a page of its own, an SVG could run scripts; within <img> this changes nothing.
  if (suffixOf(name) === 'svg')
    headers['Content-Security-Policy'] = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
  return headers;
}
