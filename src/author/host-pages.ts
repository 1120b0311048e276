import { cacheControlOf } from '../core/http/media.ts';
import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import type { Hosted } from './hosted.ts';

/** Configuration files that static page hosts read from the published folder. */

/**
 * A `_headers` file for Netlify and Cloudflare Pages. If several matching rules set the same header, all of their
 * values are sent; so no two rules that match one file set the same header.
 * @throws AppregError `base-url-unsupported` (exit 2) for an address that such a host cannot serve
 */
export function headersFile({ baseUrl, manifest, serviceOrigins }: Hosted): string {
  const path = new URL(baseUrl).pathname;
  if (path !== '/')
    throw new AppregError(
      'base-url-unsupported',
      `This host serves the files at the path “/”, not at “${printable(path)}”.`,
      'Give --base-url without a path, or choose another --host.',
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

/** A static header can name only one origin; several origins require the wildcard, which the spec permits. */
function allowedOrigin(serviceOrigins: readonly string[]): string {
  const [only, ...others] = serviceOrigins;
  return only === undefined || others.length > 0 ? '*' : only;
}

/** Without this file, Cloudflare Pages responds to every unknown path with the page at `/` and status 200. */
export const NOT_FOUND_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Not found</title>
  </head>
  <body>
    <p>This registry does not contain the file.</p>
  </body>
</html>
`;
