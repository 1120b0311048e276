import {
  bucketOf,
  cloudflarePagesGuide,
  gcsGuide,
  githubPagesGuide,
  type Hosted,
  netlifyGuide,
  nginxGuide,
  r2Guide,
  s3Guide,
} from './host-guides.ts';
import { nginxServer } from './host-nginx.ts';
import { message } from '../core/text/message.ts';
import { cacheControlOf } from '../core/registry/media.ts';
import { AppregError } from '../core/errors/error.ts';

/** The configuration for a host to serve a registry: CORS (spec 4.1), cache lifetimes (spec 8), media types. */

interface HostFile {
  path: string;
  text: string;
  what: string;
  /** True for a file that the host reads from the published folder. */
  served: boolean;
}

interface Preset {
  /** The default store for this host, as in the configuration. */
  store: { type: 'directory' | 'git' | 's3' } & Record<string, string>;
  files(hosted: Hosted): HostFile[];
}

const GUIDE = { path: 'host/README.md', what: 'instructions for the host', served: false };
const CORS = { path: 'host/cors.json', what: 'the CORS configuration of the bucket', served: false };
const HEADERS = { path: '_headers', what: 'the headers that the host sends', served: true };

export const PRESETS = {
  r2: {
    store: { type: 's3', region: 'auto' },
    files: (hosted) => [
      { ...CORS, text: r2Cors(hosted) },
      { ...GUIDE, text: r2Guide(hosted) },
    ],
  },
  s3: {
    store: { type: 's3' },
    files: (hosted) => [
      { ...CORS, text: s3Cors(hosted) },
      {
        path: 'host/policy.json',
        text: s3Policy(bucketOf(hosted)),
        what: 'the bucket policy, which makes the files public',
        served: false,
      },
      { ...GUIDE, text: s3Guide(hosted) },
    ],
  },
  gcs: {
    store: { type: 's3', region: 'auto', endpoint: 'https://storage.googleapis.com' },
    files: (hosted) => [
      { ...CORS, text: gcsCors(hosted) },
      { ...GUIDE, text: gcsGuide(hosted) },
    ],
  },
  'github-pages': {
    store: { type: 'git', branch: 'gh-pages' },
    files: (hosted) => [
      { path: '.nojekyll', text: '', what: 'an empty file that disables Jekyll', served: true },
      { ...GUIDE, text: githubPagesGuide(hosted) },
    ],
  },
  'cloudflare-pages': {
    store: { type: 'git', branch: 'registry' },
    files: (hosted) => [
      { ...HEADERS, text: headersFile(hosted) },
      { path: '404.html', text: NOT_FOUND_PAGE, what: 'the response for missing files', served: true },
      { ...GUIDE, text: cloudflarePagesGuide(hosted) },
    ],
  },
  netlify: {
    store: { type: 'git', branch: 'registry' },
    files: (hosted) => [
      { ...HEADERS, text: headersFile(hosted) },
      { ...GUIDE, text: netlifyGuide(hosted) },
    ],
  },
  nginx: {
    store: { type: 'directory' },
    files: (hosted) => [
      { path: 'host/nginx.conf', text: nginxServer(hosted), what: 'a server block for nginx', served: false },
      { ...GUIDE, text: nginxGuide(hosted) },
    ],
  },
} satisfies Record<string, Preset>;

export type HostName = keyof typeof PRESETS;

/** CORS configuration of buckets, in the format of each provider's tool. The methods are those of the spec (4.1). */

const METHODS = ['GET', 'HEAD'];
const SECONDS = 3600;

function originsOf({ serviceOrigins }: Hosted): readonly string[] {
  return serviceOrigins.length === 0 ? ['*'] : serviceOrigins;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** For `aws s3api put-bucket-cors`. */
export function s3Cors(hosted: Hosted): string {
  const rule = { AllowedOrigins: originsOf(hosted), AllowedMethods: METHODS, AllowedHeaders: ['*'] };
  return json({ CORSRules: [{ ...rule, ExposeHeaders: ['ETag'], MaxAgeSeconds: SECONDS }] });
}

/** For `wrangler r2 bucket cors set`. */
function r2Cors(hosted: Hosted): string {
  const allowed = { origins: originsOf(hosted), methods: METHODS, headers: ['*'] };
  return json({ rules: [{ allowed, exposeHeaders: ['ETag'], maxAgeSeconds: SECONDS }] });
}

/** For `gcloud storage buckets update --cors-file`. */
function gcsCors(hosted: Hosted): string {
  return json([{ origin: originsOf(hosted), method: METHODS, responseHeader: ['*'], maxAgeSeconds: SECONDS }]);
}

/** Public read access without listing. For `aws s3api put-bucket-policy`. */
function s3Policy(bucket: string): string {
  const Resource = `arn:aws:s3:::${bucket}/*`;
  return json({
    Version: '2012-10-17',
    Statement: [{ Sid: 'ReadRegistry', Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource }],
  });
}

/** Configuration files that static page hosts read from the published folder. */

/**
 * A `_headers` file for Netlify and Cloudflare Pages. If several matching rules set the same header, all of their
 * values are sent; so no two rules that match one file set the same header.
 * @throws AppregError `base-url-unsupported` (exit 2) for an address that such a host cannot serve
 */
function headersFile({ baseUrl, manifest, serviceOrigins }: Hosted): string {
  const path = new URL(baseUrl).pathname;
  if (path !== '/')
    throw new AppregError(
      'base-url-unsupported',
      message`This host serves the files at the path “/”, not at “${path}”.`,
      message`Give --base-url without a path, or choose another --host.`,
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
    [`${apps}/versions.about.json`, 'versions.about.json'],
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
const NOT_FOUND_PAGE = `<!doctype html>
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
