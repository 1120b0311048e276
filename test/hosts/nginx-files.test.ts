// Scenario: nginx serves a registry with each fault of its files.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { write } from '../support/folders.ts';
import { archive, SVG } from '../support/live-registry.ts';
import { GOOD, nginx, PREFLIGHT } from './nginx-frame.ts';
import { forResources, putSite, serverCases } from './site.ts';

/** Types, codings, lifetimes and fallbacks of nginx. */

const gone = (path: string) => (root: string) => rmSync(join(root, path));
const FALLBACK = GOOD.replace('location / {', 'location / { try_files $uri $uri/ /index.html;');
const STAR = 'add_header Access-Control-Allow-Origin * always;';
/** GOOD, but for artifacts, which a location of their own answers. */
const artifacts = (inside: string): string => `${GOOD} location ~ \\.tar\\.gz$ { ${STAR} ${inside} ${PREFLIGHT} }`;
/** The host behind @SECOND@, in plain HTTP, as an application or a store. */
const behind = (inside: string): string => `server { listen 127.0.0.1:@SECOND@; root @ROOT@; ${inside} }`;

serverCases('nginx', 'files of nginx', nginx, [
  {
    name: 'no types, and octet-stream for everything',
    expected: [
      ...forResources('warning content-type-wrong not-json', 'manifest', 'metadata'),
      'error icon-type-wrong svg-type (icon)',
    ],
    server: `types {} ${GOOD}`,
  },
  {
    name: 'no types, and text/plain for everything',
    expected: [
      ...forResources('warning content-type-wrong not-json', 'manifest', 'metadata'),
      'error icon-type-wrong svg-type (icon)',
      'warning content-type-wrong text (artifact 1.0.0)',
    ],
    server: `types {} default_type text/plain; ${GOOD}`,
  },
  {
    name: 'types without svg',
    expected: ['error icon-type-wrong svg-type (icon)'],
    server: `types { application/json json; application/gzip gz; } ${GOOD}`,
  },
  {
    name: 'types without svg, with nosniff and a plain default',
    expected: ['error icon-type-wrong svg-type (icon)', 'warning content-type-wrong text (artifact 1.0.0)'],
    server: `types { application/json json; } default_type text/plain; add_header X-Content-Type-Options nosniff; ${GOOD}`,
  },
  {
    name: 'the stock types, which do not contain gz',
    server: `types { application/json json; image/svg+xml svg; } ${GOOD}`,
  },
  {
    name: 'a second Content-Type is added beside the first',
    server: `types { image/svg+xml svg; } ${GOOD} location ~ \\.json$ { ${STAR} add_header Content-Type application/json; add_header Cache-Control no-cache; ${PREFLIGHT} }`,
  },
  { name: 'a charset on everything', server: `charset utf-8; charset_types *; ${GOOD}` },
  {
    name: 'an obsolete charset',
    expected: forResources('warning content-type-wrong charset', 'manifest', 'metadata'),
    server: `charset windows-1252; charset_types application/json; ${GOOD}`,
  },
  {
    name: 'gzip on',
    server: `gzip on; gzip_types application/json image/svg+xml; gzip_vary on; gzip_min_length 10; ${GOOD}`,
  },
  {
    name: 'gzip of all types, for clients that accept it',
    server: `gzip on; gzip_types *; gzip_min_length 10; gzip_proxied any; ${GOOD}`,
  },
  {
    name: 'gzip_static always, without gunzip',
    server: `gzip_static always; ${GOOD}`,
    put: (root) => {
      for (const path of ['registry.json', 'apps/app-a/icon.svg'])
        write(root, { [`${path}.gz`]: gzipSync(path.endsWith('svg') ? SVG : '{"apps":{}}') });
    },
  },
  {
    name: 'a Content-Encoding is put on the artifacts',
    expected: ['warning content-encoded encoded (artifact 1.0.0)'],
    server: artifacts('add_header Content-Encoding gzip;'),
  },
  {
    name: 'an unknown Content-Encoding is put on the JSON files',
    expected: forResources('warning content-encoded unknown-coding', 'manifest', 'metadata'),
    server: `${GOOD} location ~ \\.json$ { ${STAR} add_header Cache-Control no-cache; add_header Content-Encoding aws-chunked; ${PREFLIGHT} }`,
  },
  {
    name: 'the store calls artifacts gzip-encoded, and gunzip undoes it',
    expected: [
      ...forResources('error artifact-checksum-mismatch unpacked', 'artifact 1.0.0', 'artifact 2.0.0'),
      'warning cors-preflight-refused status-405 (artifact 1.0.0)',
    ],
    global: behind('location / { add_header Content-Encoding gzip; }'),
    server: `${GOOD} location ~ \\.tar\\.gz$ { gunzip on; proxy_pass http://127.0.0.1:@SECOND@; ${STAR} }`,
  },
  {
    name: 'the artifact’s types are rewritten by hand',
    server: artifacts('types {} default_type application/x-gzip;'),
  },
  { name: 'artifacts as application/x-tar', server: artifacts('types {} default_type application/x-tar;') },
  {
    name: 'artifacts as text/html',
    expected: ['warning content-type-wrong html (artifact 1.0.0)'],
    server: artifacts('types {} default_type text/html;'),
  },
  {
    name: 'expires max everywhere',
    // Its Cache-Control is sent beside the other one.
    expected: [
      ...forResources('warning cache-lifetime-long long', 'manifest', 'metadata'),
      ...forResources('warning cache-lifetime-missing malformed', 'manifest', 'metadata'),
    ],
    server: `expires max; ${GOOD}`,
  },
  {
    name: 'expires 1y on the usual static files, JSON among them',
    expected: forResources('warning cache-lifetime-long immutable', 'manifest', 'metadata'),
    server: `${STAR} location / { ${PREFLIGHT} } location ~* \\.(css|js|json|svg|png|gz)$ { expires 1y; ${STAR} add_header Cache-Control "public, immutable"; ${PREFLIGHT} }`,
  },
  { name: 'expires 1h', server: `${STAR} expires 1h; location / { ${PREFLIGHT} }` },
  {
    name: 'expires 5m and another Cache-Control',
    server: `${STAR} expires 5m; add_header Cache-Control public; location / { ${PREFLIGHT} }`,
  },
  { name: 'expires -1', server: `${STAR} expires -1; location / { ${PREFLIGHT} }` },
  { name: 'expires epoch', server: `${STAR} expires epoch; location / { ${PREFLIGHT} }` },
  {
    name: 'no lifetime at all',
    server: `${STAR} location / { ${PREFLIGHT} }`,
    notes: ['cache-lifetime-missing absent'],
  },
  {
    name: 'contradictory lifetimes',
    expected: forResources('warning cache-lifetime-missing malformed', 'manifest', 'metadata'),
    server: `${STAR} expires 5m; add_header Cache-Control "max-age=31536000"; location / { ${PREFLIGHT} }`,
  },
  { name: 'neither ETag nor Last-Modified', server: `etag off; add_header Last-Modified ""; ${GOOD}` },
  { name: 'no ranges', server: `max_ranges 0; ${GOOD}` },
  { name: 'one request per connection', server: `keepalive_timeout 0; ${GOOD}` },
  { name: 'a slow connection', server: `limit_rate 2k; ${GOOD}` },
  { name: 'the fallback of a single-page application, every file there', server: FALLBACK },
  {
    name: 'the same without a metadata file',
    expected: ['error document-unreadable html-page (metadata)'],
    server: FALLBACK,
    put: gone('apps/app-a/versions.json'),
  },
  {
    name: 'the same without an icon',
    expected: ['error icon-not-image html (icon)'],
    server: FALLBACK,
    put: gone('apps/app-a/icon.svg'),
  },
  {
    name: 'the same without an artifact',
    expected: ['error artifact-checksum-mismatch html-page (artifact 1.0.0)'],
    server: FALLBACK,
    put: gone('apps/app-a/versions/1.0.0.tar.gz'),
  },
  {
    name: 'an error page for missing files, with 404',
    expected: ['error unreachable status-404 (icon)'],
    server: `error_page 404 /index.html; ${GOOD}`,
    put: gone('apps/app-a/icon.svg'),
  },
  {
    name: 'an error page for missing files, with 200',
    expected: ['error icon-not-image html (icon)'],
    server: `error_page 404 =200 /index.html; ${GOOD}`,
    put: gone('apps/app-a/icon.svg'),
  },
  {
    name: 'the metadata’s URL is a folder with a list of files',
    expected: ['error document-unreadable html-page (metadata)'],
    server: `autoindex on; ${GOOD}`,
    put: (root, origin) => putApp(root, origin, `${origin}/apps/app-a/`),
  },
  {
    name: 'the metadata’s URL is a folder with a list of files in JSON',
    expected: ['error schema-violation wrong-type (metadata)'],
    server: `autoindex on; autoindex_format json; ${GOOD}`,
    put: (root, origin) => putApp(root, origin, `${origin}/apps/app-a/`),
  },
  {
    name: 'the metadata is the index of a folder',
    server: `index versions.json; ${GOOD}`,
    put: (root, origin) => putApp(root, origin, `${origin}/apps/app-a/`),
  },
  {
    name: 'the folder is named without its slash, and redirected',
    server: `index versions.json; ${GOOD}`,
    put: (root, origin) => putApp(root, origin, `${origin}/apps/app-a`),
  },
  {
    name: 'the application behind the proxy redirects to its own port',
    expected: ['error redirect-insecure (metadata)'],
    global: behind(`index versions.json; ${GOOD}`),
    server: 'location / { proxy_pass http://127.0.0.1:@SECOND@; proxy_set_header Host $host; proxy_redirect off; }',
    put: (root, origin) => putApp(root, origin, `${origin}/apps/app-a`),
  },
  {
    name: 'a moved folder, redirected without CORS',
    expected: ['error cors-missing absent-on-redirect (metadata)'],
    server: `location /old/ { rewrite ^/old/(.*)$ /apps/$1 permanent; } location / { ${STAR} add_header Cache-Control no-cache; ${PREFLIGHT} }`,
    put: (root, origin) => putApp(root, origin, `${origin}/old/app-a/versions.json`),
  },
  {
    name: 'a moved folder, redirected with CORS',
    server: `location /old/ { ${STAR} ${PREFLIGHT} rewrite ^/old/(.*)$ /apps/$1 permanent; } ${GOOD}`,
    put: (root, origin) => putApp(root, origin, `${origin}/old/app-a/versions.json`),
  },
  {
    name: 'an artifact was replaced after it was published',
    expected: ['error artifact-checksum-mismatch other-bytes (artifact 2.0.0)'],
    server: GOOD,
    put: (root) => write(root, { 'apps/app-a/versions/2.0.0.tar.gz': archive('export const version = "2, again";') }),
  },
  {
    name: 'artifacts and icons from another host of the same kind',
    global: `server { listen 127.0.0.1:@SECOND@ ssl; root @ROOT@; ${GOOD} }`,
    server: GOOD,
    put: (root, origin, second) => {
      putSite(root, `https://127.0.0.1:${second}`);
      putApp(root, origin, `${origin}/apps/app-a/versions.json`);
    },
  },
]);

function putApp(root: string, origin: string, metadataUrl: string): void {
  write(root, {
    'registry.json': {
      apps: {
        'app-a': {
          name: 'App A',
          description: 'Does a thing.',
          blockStyle: { iconUrl: `${origin}/apps/app-a/icon.svg`, color: '#336699' },
          appMetadataUrl: metadataUrl,
        },
      },
    },
  });
}
