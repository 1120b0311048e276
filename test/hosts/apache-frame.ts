import { APACHE_MODULES } from '../support/web-server.ts';
import type { Case } from './site.ts';

/** The configuration around a case, and a correct one. */

const MODULES = [
  'alias',
  'auth_basic',
  'authn_core',
  'authn_file',
  'authz_core',
  'authz_host',
  'authz_user',
  'autoindex',
  'deflate',
  'dir',
  'env',
  'expires',
  'filter',
  'headers',
  'mime',
  'mpm_event',
  'negotiation',
  'rewrite',
  'setenvif',
  'socache_shmcb',
  'ssl',
];

export function apache({ server, global = '', listen }: Case): string {
  return `
${MODULES.map((name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`).join('\n')}
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
ServerName localhost
ServerTokens Prod
PidFile @DIR@/apache.pid
DefaultRuntimeDir @DIR@
ErrorLog @DIR@/error.log
TypesConfig /dev/null
AddType application/json .json
AddType image/svg+xml .svg
AddType image/png .png
AddType text/html .html
StartServers 1
ServerLimit 2
ThreadsPerChild 40
MaxRequestWorkers 80
MinSpareThreads 1
MaxSpareThreads 80
${listen ?? 'Listen 127.0.0.1:@PORT@'}
${global}
<VirtualHost *:@PORT@>
  DocumentRoot @ROOT@
  SSLEngine on
  SSLCertificateFile @CERT@
  SSLCertificateKeyFile @KEY@
  <Directory @ROOT@>
    ${server.includes('Require ') ? '' : 'Require all granted'}
    AllowOverride All
    Options FollowSymLinks
    ${server}
  </Directory>
</VirtualHost>
`;
}

export const LIFETIME = '<FilesMatch "\\.json$">\nHeader set Cache-Control "public, max-age=300"\n</FilesMatch>';
export const PREFLIGHT = `
Header always set Access-Control-Allow-Methods "GET, HEAD, OPTIONS"
Header always set Access-Control-Allow-Headers "*"
RewriteEngine On
RewriteCond %{REQUEST_METHOD} OPTIONS
RewriteRule ^(.*)$ $1 [R=204,L]`;
export const GZIP = 'AddType application/gzip .gz .tgz';
export const STAR = 'Header always set Access-Control-Allow-Origin "*"';
export const GOOD = `${STAR}\n${GZIP}\n${LIFETIME}${PREFLIGHT}`;
