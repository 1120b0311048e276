import { message } from '../core/text/message.ts';
import { AppregError } from '../core/errors/error.ts';
import { COMPANION_TYPES, type CompanionKind, companionPath } from '../core/registry/companion.ts';
import { cacheControlOf } from '../core/registry/media.ts';
import type { Hosted } from './host-guides.ts';

/**
 * A server block for nginx, to be included in its `http` block. Headers are set at server level only, since a block
 * with its own `add_header` does not inherit them.
 * @throws AppregError `base-url-unsupported` (exit 2) for a host name that nginx would interpret as a pattern
 */
export function nginxServer({ baseUrl, serviceOrigins }: Hosted): string {
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  if (!/^[a-z0-9_.-]+$/.test(hostname) && !/^\[[0-9a-f:]+\]$/.test(hostname))
    throw new AppregError(
      'base-url-unsupported',
      message`The host name “${hostname}” is not valid in an nginx configuration.`,
      message`Give --base-url a host name with only letters, digits, dots, - and _, or an IP address.`,
    );
  const isTls = protocol === 'https:';
  const listen = port || (isTls ? '443' : '80');
  const name = nameOf(hostname, port);
  return `# Serves the registry at ${JSON.stringify(baseUrl).slice(1, -1)}
# Put this into /etc/nginx/conf.d/, adjust the folder and the certificate, then: nginx -t && systemctl reload nginx
${serviceOrigins.length === 0 ? '' : `${origins(name, serviceOrigins)}\n`}map $uri $registry_cache_${name} {
  default ${quoted(cacheControlOf('.json'))};
  "~*\\.(svg|png)$" ${quoted(cacheControlOf('.svg'))};
  "~*\\.tar\\.gz(\\.(sigstore|cdx)\\.json)?$" ${quoted(cacheControlOf('.tar.gz'))};
}
${isTls && listen === '443' ? redirectFromHttp(hostname) : ''}server {
  listen ${listen}${isTls ? ' ssl' : ''};
  listen [::]:${listen}${isTls ? ' ssl' : ''};
  server_name ${hostname};
${isTls ? certificate(hostname) : ''}  server_tokens off;
  autoindex off;
${headers(name, serviceOrigins)}  # Artifacts are not in gzip_types: they must be sent as stored, or they do not match their checksum.
  gzip on;
  gzip_types application/json image/svg+xml text/css text/javascript application/xml;
  gzip_vary on;
  # Hidden files, such as those of git and of editors, are not served.
  location ~ "/\\.(?!well-known/)" {
    return 404;
  }
  location ${quoted(decoded(pathname))} {
    alias /srv/registry/;
    types {
      application/json json;
      application/gzip gz;
      image/svg+xml svg;
      image/png png;
      text/html html;
      text/css css;
      text/javascript js;
      application/xml xml;
    }
    default_type application/octet-stream;
    if ($request_method = OPTIONS) {
      return 204;
    }
${companionType('attestation')}${companionType('sbom')}  }
}
`;
}

/**
 * Types are chosen by the last suffix, which is json, so that each kind of companion file needs a location. It is tried
 * before that of hidden files, so that it must not match these.
 */
function companionType(kind: CompanionKind): string {
  return `    location ~ "^(?!.*/\\.).*${companionPath('', kind).replaceAll('.', '\\.')}$" {
      types { }
      default_type ${COMPANION_TYPES[kind]};
      if ($request_method = OPTIONS) {
        return 204;
      }
    }
`;
}

function redirectFromHttp(hostname: string): string {
  return `server {
  listen 80;
  listen [::]:80;
  server_name ${hostname};
  return 301 https://${hostname}$request_uri;
}
`;
}

function certificate(hostname: string): string {
  return `  # The whole chain: without the intermediate certificate, browsers often connect, but the service cannot.
  ssl_certificate /etc/letsencrypt/live/${hostname}/fullchain.pem;
  ssl_certificate_key /etc/letsencrypt/live/${hostname}/privkey.pem;
  ssl_protocols TLSv1.2 TLSv1.3;
`;
}

/** CORS and caching. Without origins of a service, every origin is allowed. */
function headers(name: string, serviceOrigins: readonly string[]): string {
  const isOpen = serviceOrigins.length === 0;
  return `  add_header Access-Control-Allow-Origin ${isOpen ? '"*"' : `$registry_origin_${name}`} always;
${isOpen ? '' : '  add_header Vary Origin always;\n'}  add_header Access-Control-Allow-Methods "GET, HEAD, OPTIONS" always;
  add_header Access-Control-Allow-Headers "*" always;
  add_header Access-Control-Max-Age 3600 always;
  add_header X-Content-Type-Options nosniff always;
  # Without "always": an error must not be cached as long as a file.
  add_header Cache-Control $registry_cache_${name};
`;
}

/** nginx variables are global, so their names contain the registry's host; nginx limits their length. */
function nameOf(hostname: string, port: string): string {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/_/g, '___')
    .replace(/-/g, '__')
    .replace(/[.:]/g, '_');
  const name = port === '' ? host : `${host}_${port}`;
  return name.length <= 24 ? name : `${name.slice(0, 16)}_${fingerprint(name)}`;
}

/** FNV-1a: eight digits that distinguish long names. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}

/** An allowed request origin is echoed; other origins get no header. */
function origins(name: string, serviceOrigins: readonly string[]): string {
  const lines = serviceOrigins.map((origin) => `  ${quoted(origin)} $http_origin;\n`);
  return `map $http_origin $registry_origin_${name} {\n  default "";\n${lines.join('')}}`;
}

/** A quoted string in nginx configuration. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** nginx matches locations against the decoded path. */
function decoded(pathname: string): string {
  try {
    const path = decodeURIComponent(pathname);
    // oxlint-disable-next-line no-control-regex
    if (!/[\u0000-\u001f\u007f]/.test(path)) return path;
  } catch {
    // Reported below.
  }
  throw new AppregError(
    'base-url-unsupported',
    message`The path “${pathname}” is not valid in an nginx configuration.`,
    message`Give --base-url a path without control characters.`,
  );
}
