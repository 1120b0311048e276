// Scenario: Apache serves a registry with each fault of its configuration.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { write } from '../support/folders.ts';
import { ORIGIN, SVG } from '../support/live-registry.ts';
import { apache, GOOD, GZIP, LIFETIME, PREFLIGHT, STAR } from './apache-frame.ts';
import { forResources, forAllResources, serverCases } from './site.ts';

/** Findings about usual configurations of Apache, most of them as in an .htaccess file. */

const removeFile = (path: string) => (root: string) => rmSync(join(root, path));

serverCases('apache2', 'Apache', apache, [
  { name: 'a correct configuration', server: GOOD },
  { name: 'a correct configuration in .htaccess', server: '', put: (root) => write(root, { '.htaccess': GOOD }) },
  {
    name: 'the default configuration',
    expected: forResources('error cors-missing absent', 'manifest', 'metadata', 'icon'),
    server: GZIP,
  },
  {
    name: 'Header set alone',
    expected: forAllResources('warning cors-preflight-refused header-refused'),
    server: `Header set Access-Control-Allow-Origin "*"\n${GZIP}\n${LIFETIME}`,
  },
  {
    name: 'Header set, which does not apply to a rewritten preflight',
    expected: forAllResources('warning cors-preflight-refused origin'),
    server: `Header set Access-Control-Allow-Origin "*"\n${GZIP}\n${LIFETIME}${PREFLIGHT}`,
  },
  {
    name: 'Header set and Header always set',
    expected: forAllResources('error cors-invalid two-headers'),
    server: `Header set Access-Control-Allow-Origin "*"\n${GOOD}`,
  },
  {
    name: 'Header add in two places',
    expected: forAllResources('error cors-invalid two-headers'),
    server: `Header add Access-Control-Allow-Origin "*"\n${LIFETIME}\n${GZIP}`,
    put: (root) => write(root, { '.htaccess': 'Header add Access-Control-Allow-Origin "*"' }),
  },
  {
    name: 'SetEnvIf with Vary',
    named: true,
    server: `SetEnvIf Origin "^https://svc\\.test$" ALLOWED=$0\nHeader always set Access-Control-Allow-Origin %{ALLOWED}e env=ALLOWED\nHeader always merge Vary Origin\n${GZIP}\n${LIFETIME}${PREFLIGHT}`,
  },
  {
    name: 'SetEnvIf without Vary',
    expected: forAllResources('warning cors-not-varied only-with-origin'),
    named: true,
    server: `SetEnvIf Origin "^https?://(www\\.)?(svc\\.test|example\\.com)$" ALLOWED=$0\nHeader always set Access-Control-Allow-Origin %{ALLOWED}e env=ALLOWED\n${GZIP}\n${LIFETIME}${PREFLIGHT}`,
  },
  {
    name: 'SetEnvIf that captures only the parenthesis',
    expected: forAllResources('error cors-invalid no-scheme'),
    named: true,
    server: `SetEnvIf Origin "https://(svc\\.test|example\\.com)$" ALLOWED=$1\nHeader always set Access-Control-Allow-Origin %{ALLOWED}e env=ALLOWED\nHeader always merge Vary Origin\n${GZIP}\n${LIFETIME}${PREFLIGHT}`,
  },
  {
    name: 'SetEnvIf with a variable that is unset for other origins, without env=',
    expected: forAllResources('warning cors-origin-refused origins-unknown'),
    server: `SetEnvIf Origin "^https://svc\\.test$" ALLOWED=$0\nHeader always set Access-Control-Allow-Origin %{ALLOWED}e\nHeader always merge Vary Origin\n${GZIP}\n${LIFETIME}${PREFLIGHT}`,
  },
  {
    name: 'a list of origins',
    expected: forAllResources('error cors-invalid list'),
    named: true,
    server: `Header always set Access-Control-Allow-Origin "${ORIGIN}, https://www.example.com"\n${GZIP}\n${LIFETIME}`,
  },
  {
    name: 'CORS only for icons and fonts, as in the boilerplate',
    expected: [
      ...forResources('error cors-missing absent', 'manifest', 'metadata'),
      'warning cors-preflight-refused header-refused (icon)',
    ],
    server: `<FilesMatch "\\.(svg|png|ttf|woff2?)$">\n${STAR}\n</FilesMatch>\n${GZIP}\n${LIFETIME}`,
  },
  {
    name: 'methods are limited',
    expected: forAllResources('warning cors-preflight-refused status-403'),
    server: `${STAR}\n${GZIP}\n${LIFETIME}\n<LimitExcept GET HEAD>\nRequire all denied\n</LimitExcept>`,
  },
  {
    name: 'only GET and POST by rewriting',
    expected: [
      ...forAllResources('warning cors-preflight-refused status-403'),
      ...forAllResources('warning head-refused status-403'),
    ],
    server: `${STAR}\n${GZIP}\n${LIFETIME}\nRewriteEngine On\nRewriteCond %{REQUEST_METHOD} !^(GET|POST)$\nRewriteRule .* - [F]`,
  },
  {
    name: 'AddEncoding for .gz',
    expected: ['warning content-encoded encoded (artifact 1.0.0)'],
    server: `AddEncoding x-gzip .gz .tgz\n${GOOD}`,
  },
  {
    name: 'AddEncoding for .gz, removed for archives',
    server: `AddEncoding x-gzip .gz .tgz\n${GOOD}\n<FilesMatch "\\.(tgz|tar\\.gz)$">\nRemoveEncoding .gz .tgz\n</FilesMatch>`,
  },
  {
    name: 'AddEncoding and a type for tar',
    expected: ['warning content-encoded encoded (artifact 1.0.0)'],
    server: `AddEncoding x-gzip .gz\nAddType application/x-tar .tar\n${GOOD}`,
  },
  {
    name: 'deflate for text',
    server: `${GOOD}\nAddOutputFilterByType DEFLATE application/json image/svg+xml text/html`,
  },
  { name: 'deflate for everything', server: `${GOOD}\nSetOutputFilter DEFLATE` },
  { name: 'no type for gz: none is sent', server: GOOD.replace(GZIP, '') },
  {
    name: 'archives forced to a download',
    server: `${GOOD}\n<FilesMatch "\\.gz$">\nForceType application/octet-stream\nHeader set Content-Disposition attachment\n</FilesMatch>`,
  },
  {
    name: 'everything forced to text',
    expected: [
      ...forResources('warning content-type-wrong not-json', 'manifest', 'metadata'),
      'error icon-type-wrong svg-type (icon)',
      'warning content-type-wrong text (artifact 1.0.0)',
    ],
    server: `${GOOD}\nForceType text/plain`,
  },
  {
    name: 'svg has no type, and nosniff',
    expected: ['error icon-type-wrong missing (icon)'],
    server: `${GOOD}\nRemoveType .svg\nHeader set X-Content-Type-Options nosniff`,
  },
  { name: 'a charset on everything', server: `${GOOD}\nAddDefaultCharset ISO-8859-1` },
  {
    name: 'a charset by suffix',
    expected: forResources('warning content-type-wrong charset', 'manifest', 'metadata'),
    server: `${GOOD}\nAddCharset ISO-8859-1 .json`,
  },
  { name: 'ETags with the inode', server: `${GOOD}\nFileETag INode MTime Size` },
  { name: 'no ETags', server: `${GOOD}\nFileETag None\nHeader unset ETag` },
  {
    name: 'expires by default in a year',
    expected: forResources('warning cache-lifetime-long long', 'manifest', 'metadata'),
    server: `${STAR}\n${GZIP}${PREFLIGHT}\nExpiresActive On\nExpiresDefault "access plus 1 year"`,
  },
  {
    name: 'expires as in the boilerplate',
    server: `${STAR}\n${GZIP}${PREFLIGHT}\nExpiresActive On\nExpiresDefault "access plus 1 month"\nExpiresByType application/json "access plus 0 seconds"\nExpiresByType image/svg+xml "access plus 1 month"`,
  },
  {
    name: 'expires by the time of the last change',
    server: `${STAR}\n${GZIP}${PREFLIGHT}\nExpiresActive On\nExpiresByType application/json "modification plus 5 minutes"`,
  },
  {
    name: 'an error page for missing files',
    expected: ['error unreachable status-404 (metadata)'],
    server: `${GOOD}\nErrorDocument 404 /index.html`,
    put: removeFile('apps/app-a/versions.json'),
  },
  {
    name: 'an error page at another URL for missing files',
    expected: ['error document-unreadable html-page (metadata)'],
    server: `${GOOD}\nErrorDocument 404 @ORIGIN@/index.html`.replace('@ORIGIN@', 'https://127.0.0.1:@PORT@'),
    put: removeFile('apps/app-a/versions.json'),
  },
  {
    name: 'a fallback resource',
    expected: ['error icon-not-image html (icon)'],
    server: `${GOOD}\nFallbackResource /index.html`,
    put: removeFile('apps/app-a/icon.svg'),
  },
  {
    name: 'the fallback of a single-page application',
    expected: ['error artifact-checksum-mismatch html-page (artifact 2.0.0)'],
    server: `${GOOD}\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule . /index.html [L]`,
    put: removeFile('apps/app-a/versions/2.0.0.tar.gz'),
  },
  {
    name: 'a list of the folder',
    expected: ['error document-unreadable html-page (metadata)'],
    server: `${GOOD}\nOptions +Indexes\nRewriteRule ^apps/app-a/versions\\.json$ /apps/app-a/ [R=302,L]`,
  },
  {
    name: 'MultiViews with another language beside the file',
    server: `${GOOD}\nOptions +MultiViews\nAddLanguage de .de\nAddLanguage en .en`,
    put: (root) => {
      rmSync(join(root, 'apps/app-a/icon.svg'));
      write(root, { 'apps/app-a/icon.svg.de': SVG, 'apps/app-a/icon.svg.en': SVG });
    },
  },
  {
    name: 'http is redirected to https elsewhere, and https to itself',
    server: `${GOOD}\nRewriteCond %{HTTPS} !=on\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]`,
  },
  {
    name: 'https is redirected to itself without end, for a missing proxy',
    expected: ['error redirect-excessive loop (manifest)'],
    server: `${GOOD}\nRewriteCond %{HTTP:X-Forwarded-Proto} !https\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]`,
  },
  {
    name: 'a login for everything',
    expected: ['error unreachable status-401 (manifest)'],
    server: `${GOOD}\nAuthType Basic\nAuthName Registry\nAuthUserFile @DIR@/htpasswd\nRequire valid-user`,
    put: (root) => write(root, { '../htpasswd': 'user:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n' }),
  },
  {
    name: 'hotlink protection of images',
    expected: ['error cors-origin-refused status-403 (icon)'],
    named: true,
    server: `${GOOD}\nRewriteCond %{HTTP_REFERER} !^$\nRewriteCond %{HTTP_REFERER} !^https?://(www\\.)?example\\.com [NC]\nRewriteRule \\.(svg|png|jpe?g|gif)$ - [F,NC]`,
  },
  {
    name: 'the intermediate certificate is not sent',
    expected: ['error tls-untrusted incomplete-chain (manifest)'],
    tls: 'leaf-only',
    server: GOOD,
  },
]);
