import { COMPANION_TYPES, companionKindOf } from './companion.ts';

/** The media type and cache lifetime that follow from a file's name. */

const TYPES: Record<string, string> = {
  json: 'application/json',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  ico: 'image/vnd.microsoft.icon',
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

/** The part after the last dot, in lower case. */
export function suffixOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}

/** The Content-Type of a file; `application/octet-stream` for an unknown suffix. */
export function mediaTypeOf(name: string): string {
  const companion = companionKindOf(name);
  if (companion !== null) return COMPANION_TYPES[companion];
  return TYPES[suffixOf(name)] ?? 'application/octet-stream';
}

/**
 * Its Cache-Control: JSON is cached for 300 seconds (spec 8), icons for an hour; artifacts never change (spec 2.4), and
 * neither do their companion files.
 */
export function cacheControlOf(name: string): string {
  const kind = suffixOf(name);
  const isImmutable = name.toLowerCase().endsWith('.tar.gz') || kind === 'tgz' || companionKindOf(name) !== null;
  if (isImmutable) return 'public, max-age=31536000, immutable';
  if (kind === 'svg' || kind === 'png') return 'public, max-age=3600';
  return 'public, max-age=300';
}
