import { cacheControlOf } from '../core/http/media.ts';
import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import type { Hosted } from './hosted.ts';

/** What hosts of static pages read from the files that they serve. */

/**
 * A `_headers` file, as Netlify and Cloudflare Pages read it. A header that several matching rules give would be sent
 * with all of their values; so no two of the rules that match one file give the same header.
 * @throws Trouble `host-path` (exit 2) for an address that such a host cannot serve
 */
export function headersFile({ baseUrl, manifest, serviceOrigins }: Hosted): string {
  const path = new URL(baseUrl).pathname;
  if (path !== '/')
    throw new AppregError(
      'host-path',
      `This host serves the files at the top of its address, not at ${printable(path)}.`,
      'Give --base-url without a path, or name another host.',
    );
  const origin = allowedOrigin(serviceOrigins);
  const lines = ['/*', `  Access-Control-Allow-Origin: ${origin}`];
  if (origin !== '*') lines.push('  Vary: Origin');
  lines.push('  Access-Control-Allow-Methods: GET, HEAD, OPTIONS', '  Access-Control-Allow-Headers: *');
  lines.push('  X-Content-Type-Options: nosniff');
  const apps = '/apps/:app';
  for (const [pattern, name] of [
    [`/${manifest}`, manifest],
    [`${apps}/versions.json`, 'versions.json'],
    [`${apps}/versions/:file`, '.tar.gz'],
    [`${apps}/icon.svg`, 'icon.svg'],
    [`${apps}/icon.png`, 'icon.png'],
  ] as const)
    lines.push(pattern, `  Cache-Control: ${cacheControlOf(name)}`);
  return `${lines.join('\n')}\n`;
}

/** A fixed header can name one origin; for several of them it has to be the wildcard, which the spec permits. */
function allowedOrigin(serviceOrigins: readonly string[]): string {
  const [only] = serviceOrigins;
  return serviceOrigins.length === 1 ? only! : '*';
}

/** Without this file Cloudflare Pages answers every unknown path with the page at `/`, and 200. */
export const NOT_FOUND = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Not found</title>
  </head>
  <body>
    <p>There is no such file in this registry.</p>
  </body>
</html>
`;
