// Scenario: nginx serves a registry with each fault of CORS.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ORIGIN } from '../support/live-registry.ts';
import { GOOD, nginx, PREFLIGHT } from './nginx-frame.ts';
import { forResources, forAllResources, serverCases } from './site.ts';

/** Findings about usual CORS configurations of nginx. */

const STAR = 'add_header Access-Control-Allow-Origin *;';
const CACHE = 'add_header Cache-Control "public, max-age=300";';
const without = (path: string) => (root: string) => rmSync(join(root, path));

serverCases('nginx', 'CORS of nginx', nginx, [
  { name: 'a correct configuration', server: GOOD },
  { name: 'the same, requested with the service’s origin', server: GOOD, named: true },
  { name: 'over HTTP/2', listen: 'listen 127.0.0.1:@PORT@ ssl http2;', server: GOOD },
  { name: 'TLS 1.3 alone', server: `ssl_protocols TLSv1.3; ${GOOD}` },
  { name: 'TLS 1.2 alone', server: `ssl_protocols TLSv1.2; ${GOOD}` },
  {
    name: 'no CORS at all',
    expected: forResources('error cors-missing absent', 'manifest', 'metadata', 'icon'),
    server: CACHE,
  },
  {
    name: 'only add_header, without a response to OPTIONS',
    expected: forAllResources('warning cors-preflight-refused status-405'),
    server: `${STAR} ${CACHE}`,
  },
  {
    name: 'a nested location with its own add_header does not inherit the outer ones',
    expected: forResources('error cors-missing absent', 'manifest', 'metadata'),
    server: `${GOOD} location ~ \\.json$ { add_header Cache-Control "public, max-age=60"; }`,
  },
  {
    name: 'the outer headers are repeated in the nested location',
    server: `${STAR} ${CACHE} location / { ${PREFLIGHT} } location ~ \\.json$ { ${STAR} add_header Cache-Control "no-cache"; ${PREFLIGHT} }`,
  },
  {
    name: 'only the icons’ folder was forgotten',
    expected: ['error cors-missing absent (icon)'],
    server: `location / { ${STAR} ${CACHE} ${PREFLIGHT} } location ~ \\.svg$ { expires 7d; }`,
  },
  {
    name: 'the if for OPTIONS returns 204 without any header',
    expected: forAllResources('warning cors-preflight-refused origin'),
    server: `location / { ${STAR} ${CACHE} if ($request_method = OPTIONS) { add_header Content-Length 0; return 204; } }`,
  },
  {
    name: 'the if for OPTIONS returns 204 and inherits the headers',
    server: `add_header Access-Control-Allow-Headers * always; ${STAR} ${CACHE} location / { if ($request_method = OPTIONS) { return 204; } }`,
  },
  {
    name: 'the recipe with a list of header names',
    expected: forAllResources('warning cors-preflight-refused header-refused'),
    server: `location / { ${STAR} ${CACHE}
      if ($request_method = 'OPTIONS') {
        add_header 'Access-Control-Allow-Origin' '*';
        add_header 'Access-Control-Allow-Methods' 'GET, POST, OPTIONS';
        add_header 'Access-Control-Allow-Headers' 'DNT,User-Agent,X-Requested-With,If-Modified-Since,Cache-Control,Content-Type,Range';
        add_header 'Access-Control-Max-Age' 1728000;
        add_header 'Content-Type' 'text/plain; charset=utf-8';
        add_header 'Content-Length' 0;
        return 204;
      } }`,
  },
  {
    name: 'the origin is taken from a map, with Vary',
    named: true,
    global: `map $http_origin $allowed { default ""; "${ORIGIN}" $http_origin; }`,
    server: `add_header Access-Control-Allow-Origin $allowed always; add_header Vary Origin always; ${CACHE}
      location / { if ($request_method = OPTIONS) { add_header Access-Control-Allow-Origin $allowed; add_header Vary Origin; add_header Access-Control-Allow-Headers *; return 204; } }`,
  },
  {
    name: 'the same map, requested without an origin',
    expected: forAllResources('warning cors-origin-refused origins-unknown'),
    global: `map $http_origin $allowed { default ""; "${ORIGIN}" $http_origin; }`,
    server: `add_header Access-Control-Allow-Origin $allowed always; add_header Vary Origin always; ${CACHE} location / {}`,
  },
  {
    name: 'a map without Vary',
    expected: forAllResources('warning cors-not-varied only-with-origin'),
    named: true,
    global: `map $http_origin $allowed { default ""; "~^https://(.+\\.)?svc\\.test$" $http_origin; }`,
    server: `add_header Access-Control-Allow-Origin $allowed always; ${CACHE}
      location / { if ($request_method = OPTIONS) { add_header Access-Control-Allow-Origin $allowed; add_header Access-Control-Allow-Headers *; return 204; } }`,
  },
  {
    name: 'a map with another origin',
    expected: forAllResources('error cors-origin-refused other-origin'),
    named: true,
    global: 'map $http_origin $allowed { default "https://www.example.com"; "https://www.example.com" $http_origin; }',
    server: `add_header Access-Control-Allow-Origin $allowed always; add_header Vary Origin always; ${CACHE} location / {}`,
  },
  {
    name: 'any origin is echoed, without Vary',
    expected: forAllResources('warning cors-not-varied only-with-origin'),
    named: true,
    server: `add_header Access-Control-Allow-Origin $http_origin always; ${CACHE}
      location / { if ($request_method = OPTIONS) { add_header Access-Control-Allow-Origin $http_origin; add_header Access-Control-Allow-Headers $http_access_control_request_headers; return 204; } }`,
  },
  {
    name: 'any origin is echoed, with credentials',
    expected: ['warning cors-wildcard echo-with-credentials (manifest)'],
    server: `add_header Access-Control-Allow-Origin $http_origin always; add_header Access-Control-Allow-Credentials true; add_header Vary Origin; ${CACHE}
      location / { if ($request_method = OPTIONS) { add_header Access-Control-Allow-Origin $http_origin; add_header Access-Control-Allow-Headers $http_access_control_request_headers; return 204; } }`,
  },
  {
    name: 'an if on the origin within the location',
    expected: [
      ...forAllResources('warning cors-not-varied only-with-origin'),
      ...forAllResources('warning cors-preflight-refused status-405'),
    ],
    named: true,
    server: `location / { ${CACHE} if ($http_origin ~* "^https://svc\\.test$") { add_header Access-Control-Allow-Origin $http_origin; } }`,
  },
  {
    name: 'the header is set by the application and added by the proxy again',
    expected: forAllResources('error cors-invalid two-headers'),
    server: `location / { proxy_pass http://127.0.0.1:@SECOND@; ${STAR} }`,
    global: `server { listen 127.0.0.1:@SECOND@; root @ROOT@; ${GOOD} }`,
  },
  {
    name: 'the proxy hides the application’s header before it adds its own',
    server: `location / { proxy_pass http://127.0.0.1:@SECOND@; proxy_hide_header Access-Control-Allow-Origin; ${STAR} }`,
    global: `server { listen 127.0.0.1:@SECOND@; root @ROOT@; ${GOOD} }`,
  },
  {
    name: 'two origins in one header',
    expected: forAllResources('error cors-invalid list'),
    named: true,
    server: `add_header Access-Control-Allow-Origin "${ORIGIN} https://www.example.com"; ${CACHE}`,
  },
  {
    name: 'an origin with a slash',
    expected: forAllResources('error cors-invalid trailing-slash'),
    named: true,
    server: `add_header Access-Control-Allow-Origin "${ORIGIN}/"; ${CACHE}`,
  },
  {
    name: 'a star for subdomains',
    expected: forAllResources('error cors-invalid partial-wildcard'),
    named: true,
    server: `add_header Access-Control-Allow-Origin "https://*.test"; ${CACHE}`,
  },
  {
    name: 'one fixed origin, the right one',
    named: true,
    server: `add_header Access-Control-Allow-Origin ${ORIGIN} always; ${CACHE}
      location / { if ($request_method = OPTIONS) { add_header Access-Control-Allow-Origin ${ORIGIN}; add_header Access-Control-Allow-Headers *; return 204; } }`,
  },
  {
    name: 'only GET and HEAD get through (limit_except)',
    expected: forAllResources('warning cors-preflight-refused status-403'),
    server: `location / { limit_except GET { deny all; } ${STAR} ${CACHE} }`,
  },
  {
    name: 'HEAD is refused',
    expected: forAllResources('warning head-refused status-405'),
    server: `${GOOD} if ($request_method = HEAD) { return 405; }`,
  },
  {
    name: 'a missing file without always: the error is the status',
    expected: ['error unreachable status-404 (metadata)'],
    server: `location / { ${STAR} ${CACHE} ${PREFLIGHT} }`,
    put: without('apps/app-a/versions.json'),
  },
  {
    name: 'the same with always',
    expected: ['error unreachable status-404 (metadata)'],
    server: GOOD,
    put: without('apps/app-a/versions.json'),
  },
  {
    name: 'icons are restricted to their own site',
    expected: ['error icon-embedding-refused same-origin (icon)'],
    server: `location / { ${STAR} ${CACHE} ${PREFLIGHT} } location ~ \\.svg$ { ${STAR} add_header Cross-Origin-Resource-Policy same-origin; ${PREFLIGHT} }`,
  },
  {
    name: 'security headers of a common recipe',
    server: `add_header X-Frame-Options DENY always; add_header X-Content-Type-Options nosniff always; add_header Content-Security-Policy "default-src 'self'" always; add_header Strict-Transport-Security "max-age=63072000" always; ${GOOD.replaceAll('location / {', 'location / { ')}`,
  },
]);
