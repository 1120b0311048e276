import { recordFrom } from 'appreg';
import type { HostSetting } from './host.ts';

/**
 * The setting to change on known hosts, by what a case tests. They are not part of the frozen sets: hosts change. What a
 * preset of `appreg init --host` writes is not repeated here.
 */

/** The hosts that `appreg init --host` has a preset for. */
const PRESETS = {
  nginx: 'nginx',
  s3: 'Amazon S3',
  r2: 'Cloudflare R2',
  gcs: 'Google Cloud Storage',
  'cloudflare-pages': 'Cloudflare Pages',
  netlify: 'Netlify',
} as const;

/** The settings of the given presets, each with what it writes. */
function presets(what: string, ...names: (keyof typeof PRESETS)[]): Record<string, string> {
  return recordFrom(names.map((name) => [PRESETS[name], `${what}: as “appreg init --host ${name}” writes it`]));
}

const BUCKETS = ['s3', 'r2', 'gcs'] as const;
const PAGES = ['cloudflare-pages', 'netlify'] as const;
const FIXED = 'cannot be changed; put a CDN in front that sets the headers, or use another host';

export const HOST_SETTINGS: Readonly<Record<HostSetting, Readonly<Record<string, string>>>> = {
  publish: {
    ...presets('public read access', 's3', 'gcs'),
    'Azure Blob Storage': 'set the public access level of the container to “blob”',
    Ceph: 'a bucket policy that allows s3:GetObject to everyone',
    nginx: 'root or alias names the folder of the files, which nginx may read',
    Apache: 'DocumentRoot names the folder of the files; Require all granted',
    Caddy: 'root * /srv/registry and file_server',
    'GitHub Pages': 'an empty file .nojekyll; without it, some files are left out',
  },
  browsers: {
    'any host': 'exempt the files from bot protection, hotlink protection and resource isolation policies',
    nginx: 'remove valid_referers for these files',
    Cloudflare: 'Scrape Shield › Hotlink Protection: off',
  },
  redirects: {
    'any host': 'subscribe to the URL at which the redirects end; redirect http: to https:, never the other way round',
    ...presets('the redirect from http:', 'nginx'),
    Caddy: 'redirects http: to https: by itself; remove auto_https off',
    'Amazon S3': 'name the region in the URL of the bucket',
  },
  limits: {
    nginx: 'raise limit_req and limit_conn; large_client_header_buffers 4 16k for long URLs',
    Apache: 'LimitRequestLine 8190; raise MaxRequestWorkers',
    'Cloudflare R2': 'use a custom domain: the address at r2.dev is limited',
    'any CDN': 'exempt these files from rate limits',
  },
  cookies: {
    'any host': 'serve the files from a host name without an application, so that no session is started',
    'AWS load balancer': 'turn off stickiness for the target group',
  },
  cache: {
    ...presets('Cache-Control', 'nginx', ...PAGES),
    'Object stores': 'store Cache-Control: public, max-age=300 with each JSON file; appreg does',
    Apache: 'Header set Cache-Control "public, max-age=300" for .json',
    Caddy: '@json path *.json, and header @json Cache-Control "public, max-age=300"',
    'GitHub Pages': 'ten minutes for all files; cannot be changed',
    'GitLab Pages': FIXED,
  },
  'cache-errors': {
    nginx: 'add_header Cache-Control without “always”',
    Apache: 'Header set without “always”',
    Caddy: 'handle_errors { header Cache-Control no-store }',
    'any CDN': 'a short lifetime for errors (negative caching)',
  },
  methods: {
    nginx: 'allow GET, HEAD and OPTIONS in limit_except',
    Apache: 'allow GET, HEAD and OPTIONS in LimitExcept and in RewriteCond %{REQUEST_METHOD}',
    CloudFront: 'allowed methods: GET, HEAD, OPTIONS',
    'Signed URLs': 'a URL is signed for one method: HEAD needs a signature of its own',
  },
  length: {
    nginx: 'leave application/gzip out of gzip_types, and chunked_transfer_encoding on only for HTTP/1.1 clients',
    'any proxy': 'turn off compression and transformations for .tar.gz',
  },
  types: {
    ...presets('types', 'nginx'),
    Apache: 'AddType application/json .json; AddType image/svg+xml .svg; AddType application/gzip .gz',
    'Object stores': 'store Content-Type with each object; appreg does',
    Caddy: 'detects them by the suffix; remove header Content-Type',
  },
  encoding: {
    nginx: 'leave application/gzip out of gzip_types; remove gzip_static and “gunzip on” for .tar.gz',
    Apache: 'RemoveEncoding .gz .tgz for the artifacts (AddEncoding x-gzip .gz is the cause)',
    Caddy: 'encode only json and svg: encode { match { header Content-Type application/json* } }',
    'Object stores': 'store no Content-Encoding with the artifacts; never upload them with gcloud storage cp -Z',
    'any CDN': 'turn off automatic compression for .gz',
  },
  compression: {
    ...presets('gzip and Vary', 'nginx'),
    Apache: 'mod_deflate sends Vary: Accept-Encoding; remove SetEnvIf force-no-vary',
    Caddy: 'encode sends Vary: Accept-Encoding; version 2.6 keeps the ETag, so leave encode out',
    'Object stores': 'store JSON uncompressed, without Content-Encoding',
    'any CDN': 'cache each form by Accept-Encoding',
  },
  ranges: {
    nginx: 'remove max_ranges 0; proxies: proxy_force_ranges on',
    Apache: 'remove MaxRanges none and Header unset Accept-Ranges',
    'any CDN': 'forward or answer Range and If-Range',
  },
  cors: {
    ...presets('CORS', 'nginx', ...BUCKETS, ...PAGES),
    Ceph: 'the CORS rules that “appreg init --host s3” writes',
    Apache: 'Header always set Access-Control-Allow-Origin "*"',
    Caddy: 'header Access-Control-Allow-Origin *',
    'Azure Blob Storage':
      "az storage cors add --services b --methods GET HEAD OPTIONS --origins '*' --allowed-headers '*'",
    'GitHub Pages': 'sends Access-Control-Allow-Origin: * by itself',
    'GitLab Pages': "gitlab_pages['headers'] on your own server; cannot be changed on gitlab.com",
  },
  'cors-vary': {
    ...presets('Access-Control-Allow-Origin and Vary', 'nginx', ...PAGES),
    Apache: 'Header always set Access-Control-Allow-Origin "*" for all requests, or Header always merge Vary Origin',
    Caddy: 'header Access-Control-Allow-Origin * for all requests, or header +Vary Origin',
    'Object stores': 'have no such setting: let a CDN add Vary: Origin, or the header itself',
  },
  preflight: {
    ...presets('the response to OPTIONS', 'nginx'),
    ...presets('AllowedHeaders', ...BUCKETS),
    Apache:
      'RewriteCond %{REQUEST_METHOD} OPTIONS, RewriteRule .* - [R=204,L], and Header always set Access-Control-Allow-Headers "*"',
    Caddy:
      '@preflight method OPTIONS, respond @preflight 204, and header Access-Control-Allow-Headers "*, Authorization"',
    Authorization: 'Access-Control-Allow-Headers: *, Authorization',
    'GitHub Pages': FIXED,
    'GitLab Pages': FIXED,
  },
  isolation: {
    'any host': 'Cross-Origin-Resource-Policy: cross-origin, or no such header, for icons',
    nginx: 'remove add_header Cross-Origin-Resource-Policy same-origin',
  },
  etag: {
    nginx: 'etag on (the default); the files of all servers need the same modification times',
    Apache: 'FileETag MTime Size, without INode; with mod_deflate: DeflateAlterETag NoChange',
    Caddy: 'file_server sends both; remove header -Etag',
    'any CDN': 'pass ETag, Last-Modified, If-None-Match and If-Modified-Since on',
  },
  case: {
    'any host': 'store the files in a file system that distinguishes case',
    Apache: 'turn off CheckSpelling (mod_speling)',
    Netlify: 'distinguishes no case: choose keys that differ in more than case',
  },
  paths: {
    nginx: 'no rewrite of the path; merge_slashes does not matter',
    Apache: 'no RewriteRule without the flags B and NE',
    'any CDN': 'forward paths as they were sent',
    'Object stores': 'upload names in UTF-8, in the form NFC',
  },
  errors: {
    nginx: 'try_files $uri =404, without a fallback to /index.html',
    Apache: 'remove FallbackResource; ErrorDocument 404 with a path, not with a URL',
    Caddy: 'remove try_files {path} /index.html',
    ...presets('404.html', 'cloudflare-pages'),
    Netlify: 'remove the redirect /* /index.html 200',
    CloudFront: 'no custom error response with status 200',
  },
  write: {
    'Object stores': 'allow everyone s3:GetObject only',
    nginx: 'remove dav_methods',
    Apache: 'Dav Off',
  },
  'keep-alive': {
    nginx: 'keepalive_timeout 75s',
    Apache: 'KeepAlive On',
  },
  tls: {
    ...presets('TLS', 'nginx'),
    Apache: 'SSLCertificateFile with the whole chain; SSLProtocol -all +TLSv1.2 +TLSv1.3',
    Caddy: 'obtains certificates by itself',
    'GitHub Pages': 'Settings › Pages: Enforce HTTPS',
    'Azure Blob Storage': 'Secure transfer required; minimum TLS version 1.2',
  },
};
