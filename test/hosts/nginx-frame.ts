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
