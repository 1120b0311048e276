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

function suffix(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}

export function isJson(name: string): boolean {
  return suffix(name) === 'json';
}

/**
 * The headers that follow from a file's name: its type, and how long it may be held (spec 8: JSON 300 seconds; spec 2.4:
 * artifacts never change). An archive is never labelled with a Content-Encoding: clients would hash its inside.
 */
export function mediaHeaders(name: string): Record<string, string> {
  const kind = suffix(name);
  const headers: Record<string, string> = {
    'Content-Type': TYPES[kind] ?? 'application/octet-stream',
    'Cache-Control': lifetime(name.toLowerCase(), kind),
    'X-Content-Type-Options': 'nosniff',
    // An icon is shown by <img>, which asks without CORS; this lets pages that isolate themselves show it too.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  // Opened as a page of its own, an SVG could run scripts; within <img> this changes nothing.
  if (kind === 'svg') headers['Content-Security-Policy'] = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
  return headers;
}

function lifetime(name: string, kind: string): string {
  if (name.endsWith('.tar.gz') || kind === 'tgz') return 'public, max-age=31536000, immutable';
  if (kind === 'svg' || kind === 'png') return 'public, max-age=3600';
  return 'public, max-age=300';
}
