// Scenario: caches of real servers are in front of a registry.
import { request } from 'node:https';
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { write } from '../support/folders.ts';
import { archive, ORIGIN } from '../support/live-registry.ts';
import type { WebServer } from '../support/web-server.ts';
import { GOOD, nginx, PREFLIGHT } from './nginx-frame.ts';
import { BYTES, forResources, forAllResources, putSite, serverCases } from './site.ts';

/** A cache in front of the host, like a CDN, with responses stored for earlier visitors. */

const STAR = 'add_header Access-Control-Allow-Origin * always;';
const LIFETIME = 'add_header Cache-Control "public, max-age=300";';
const backendServer = (inside: string): string => `
  proxy_cache_path @DIR@/cache levels=1:2 keys_zone=cdn:1m;
  map $http_origin $allowed { default ""; "${ORIGIN}" $http_origin; }
  server { listen 127.0.0.1:@SECOND@; root @ROOT@; ${inside} }`;
const cachingServer = (inside = ''): string => `
  location / {
    ${PREFLIGHT.replaceAll('*', '"*"')}
    proxy_pass http://127.0.0.1:@SECOND@; proxy_set_header Host $http_host;
    proxy_cache cdn; ${inside.includes('proxy_cache_key') ? '' : 'proxy_cache_key $host$uri;'} proxy_cache_valid 200 404 10m;
    add_header X-Cache $upstream_cache_status;
    ${inside}
  }`;
const ECHO = `add_header Access-Control-Allow-Origin $allowed; ${LIFETIME} location / {}`;
const ECHO_VARIED = `add_header Access-Control-Allow-Origin $allowed; add_header Vary Origin; ${LIFETIME} location / {}`;

const FILES = ['registry.json', 'versions.json', 'icon.svg', 'versions/1.0.0.tar.gz', 'versions/2.0.0.tar.gz'].map(
  (file, i) => (i === 0 ? file : `apps/app-a/${file}`),
);
/** An earlier visitor. */
const requestFrom =
  (headers: Record<string, string> = {}, method = 'GET', then?: (root: string, origin: string) => void) =>
  async (server: WebServer): Promise<void> => {
    for (const path of FILES) {
      await new Promise<void>((resolve, reject) => {
        request(`${server.origin}/${path}`, { method, headers, agent: false, rejectUnauthorized: false }, (answer) => {
          answer.resume().once('end', resolve);
        })
          .once('error', reject)
          .end();
      });
    }
    then?.(server.root, server.origin);
  };

serverCases('nginx', 'a cache in front', nginx, [
  { name: 'nothing was cached before', global: backendServer(GOOD), server: cachingServer() },
  { name: 'everything was cached before', global: backendServer(GOOD), server: cachingServer(), before: requestFrom() },
  {
    name: 'the host responds by origin without Vary, and an earlier request had no origin',
    expected: forResources('error cors-missing absent', 'manifest', 'metadata', 'icon'),
    named: true,
    global: backendServer(ECHO),
    server: cachingServer(),
    before: requestFrom(),
  },
  {
    name: 'the host responds by origin without Vary, and the earlier request came from the service',
    named: true,
    global: backendServer(ECHO),
    server: cachingServer(),
    before: requestFrom({ origin: ORIGIN }),
  },
  {
    name: 'the host responds by origin, with Vary',
    named: true,
    global: backendServer(ECHO_VARIED),
    server: cachingServer(),
    before: requestFrom(),
  },
  {
    name: 'the host sends Vary, and the cache ignores it',
    expected: forResources('error cors-missing absent', 'manifest', 'metadata', 'icon'),
    named: true,
    global: backendServer(ECHO_VARIED),
    server: cachingServer('proxy_ignore_headers Vary;'),
    before: requestFrom(),
  },
  {
    name: 'the origin is part of the cache’s key',
    expected: forAllResources('warning cors-not-varied only-with-origin'),
    named: true,
    global: backendServer(ECHO),
    server: cachingServer('proxy_cache_key $host$uri$http_origin;'),
    before: requestFrom(),
  },
  {
    name: 'the cache adds the header itself',
    named: true,
    global: backendServer(ECHO),
    server: cachingServer(`proxy_hide_header Access-Control-Allow-Origin; ${STAR}`),
    before: requestFrom(),
  },
  {
    name: 'the cache adds the header to that of the host',
    expected: forAllResources('error cors-invalid two-headers'),
    global: backendServer(GOOD),
    server: cachingServer(STAR),
  },
  {
    name: 'an artifact was replaced, and the cache holds the older one',
    expected: ['error artifact-checksum-mismatch other-bytes (artifact 2.0.0)'],
    global: backendServer(GOOD),
    server: cachingServer(),
    put: (root, origin) => {
      putSite(root, origin);
      write(root, { 'apps/app-a/versions/2.0.0.tar.gz': archive('export const version = "2, first try";') });
    },
    before: requestFrom({}, 'GET', (root) => write(root, { 'apps/app-a/versions/2.0.0.tar.gz': BYTES['2.0.0'] })),
  },
  {
    name: 'a missing file was cached before it was uploaded',
    expected: ['error unreachable status-404 (icon)'],
    global: backendServer(GOOD),
    server: cachingServer(),
    put: (root) => rmSync(join(root, 'apps/app-a/icon.svg')),
    before: requestFrom({}, 'GET', putSite),
  },
  {
    name: 'the copy is fresh',
    global: backendServer(GOOD),
    server: cachingServer('add_header Age 120;'),
    before: requestFrom(),
  },
  {
    name: 'the copy is stale',
    expected: forResources('warning cache-lifetime-long stale-copy', 'manifest', 'metadata'),
    global: backendServer(GOOD),
    server: cachingServer('add_header Age 90000;'),
    before: requestFrom(),
  },
  {
    name: 'HEAD is cached as if it were GET',
    expected: ['error unreachable stalled (manifest)'],
    global: backendServer(GOOD),
    server: cachingServer('proxy_cache_methods GET HEAD; proxy_cache_convert_head off;'),
    before: requestFrom({}, 'HEAD'),
    options: { idleTimeout: 1500 },
  },
  {
    name: 'HEAD is forwarded to the host as GET',
    global: backendServer(GOOD),
    server: cachingServer(),
    before: requestFrom({}, 'HEAD'),
  },
  {
    name: 'responses are cached in slices',
    global: backendServer(GOOD),
    server: cachingServer(
      'slice 1k; proxy_cache_key $uri$slice_range; proxy_set_header Range $slice_range; proxy_cache_valid 206 10m;',
    ),
    before: requestFrom(),
  },
  {
    name: 'a compressed copy for clients that accept it',
    global: backendServer(
      `gzip on; gzip_types *; gzip_min_length 10; gzip_vary on; gzip_proxied any; gzip_http_version 1.0; ${GOOD}`,
    ),
    server: cachingServer('proxy_set_header Accept-Encoding $http_accept_encoding;'),
    before: requestFrom({ 'accept-encoding': 'gzip' }),
  },
  {
    name: 'a compressed copy for all clients',
    expected: forResources('error artifact-checksum-mismatch decoded-bytes-match', 'artifact 1.0.0', 'artifact 2.0.0'),
    global: backendServer(
      `gzip on; gzip_types *; gzip_min_length 10; gzip_proxied any; gzip_http_version 1.0; ${GOOD}`,
    ),
    server: cachingServer('proxy_set_header Accept-Encoding $http_accept_encoding;'),
    before: requestFrom({ 'accept-encoding': 'gzip' }),
  },
]);
