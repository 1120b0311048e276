import type { Case } from './site.ts';

/** The configuration around a case: the default of the packages of nginx, with its files in the temporary folder. */

const TYPES = 'types { text/html html; application/json json; image/svg+xml svg; image/png png; application/gzip gz; }';

export function nginx({ server, global = '', listen = 'listen 127.0.0.1:@PORT@ ssl;' }: Case): string {
  return `
daemon off;
master_process off;
pid @DIR@/nginx.pid;
error_log @DIR@/error.log warn;
events { worker_connections 512; }
http {
  access_log off;
  server_tokens off;
  client_body_temp_path @DIR@/tmp/body;
  proxy_temp_path @DIR@/tmp/proxy;
  fastcgi_temp_path @DIR@/tmp/fastcgi;
  uwsgi_temp_path @DIR@/tmp/uwsgi;
  scgi_temp_path @DIR@/tmp/scgi;
  ${TYPES}
  default_type application/octet-stream;
  ssl_certificate @CERT@;
  ssl_certificate_key @KEY@;
  ${global}
  server {
    ${listen}
    server_name 127.0.0.1;
    root @ROOT@;
    ${server}
  }
}
`;
}

/** Responds to all preflights, as in common examples. */
export const PREFLIGHT = `
if ($request_method = OPTIONS) {
  add_header Access-Control-Allow-Origin * always;
  add_header Access-Control-Allow-Methods "GET, HEAD, OPTIONS" always;
  add_header Access-Control-Allow-Headers * always;
  add_header Access-Control-Max-Age 86400 always;
  return 204;
}`;

/** A correct configuration at the level of the server. */
export const GOOD = `
add_header Access-Control-Allow-Origin * always;
add_header Cache-Control "public, max-age=300";
location / { ${PREFLIGHT} }`;

/** The server block of the preset, on free ports, with this machine's files and certificate. */
export function onThisMachine(text: string): string {
  return nginx({ name: '', global: local(text), server: '', listen: 'listen unix:@DIR@/unused.sock;' });
}

/** With the ports, files and certificate of a test. */
export function local(text: string): string {
  return text
    .replaceAll(/^ *listen \[::\]:.*\n/gm, '')
    .replace('listen 443 ssl;', 'listen 127.0.0.1:@PORT@ ssl;')
    .replace('listen 80;', 'listen 127.0.0.1:@SECOND@;')
    .replace(/ssl_certificate .*;/, 'ssl_certificate @CERT@;')
    .replace(/ssl_certificate_key .*;/, 'ssl_certificate_key @KEY@;')
    .replace('alias /srv/registry/;', 'alias @ROOT@/;');
}
