// Scenario: nginx refuses a registry in each way.
import { createHash } from 'node:crypto';
import { write } from '../support/folders.ts';
import { checksum, ORIGIN } from '../support/live-registry.ts';
import { GOOD, nginx, PREFLIGHT } from './nginx-frame.ts';
import { BYTES, forResources, forAllResources, serverCases } from './site.ts';

/** Access control in nginx: logins, limits, signatures, hotlink protection, certificates. */

const STAR = 'add_header Access-Control-Allow-Origin * always;';
const location = (pattern: string, inside: string): string =>
  `${GOOD} location ~ ${pattern} { ${STAR} add_header Cache-Control "public, max-age=300"; ${inside} ${PREFLIGHT} }`;
const put = (root: string): void => {
  // user:secret
  write(root, { '../htpasswd': 'user:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n' });
};
const LOGIN = `auth_basic "Registry"; auth_basic_user_file @DIR@/htpasswd;`;
const BASIC = `Basic ${Buffer.from('user:secret').toString('base64')}`;

/** The artifact's URL as ngx_http_secure_link_module signs it. */
const signed = (until: number) => (root: string, origin: string) => {
  const path = '/apps/app-a/versions/2.0.0.tar.gz';
  const md5 = createHash('md5').update(`${until}${path} secret`).digest('base64url');
  write(root, {
    'apps/app-a/versions.json': {
      versions: [
        {
          version: '2.0.0',
          artifactUrl: `${origin}${path}?md5=${md5}&expires=${until}`,
          artifactChecksum: checksum(BYTES['2.0.0']),
        },
      ],
    },
  });
};
const SECURE = `secure_link $arg_md5,$arg_expires; secure_link_md5 "$secure_link_expires$uri secret";
  if ($secure_link = "") { return 403; } if ($secure_link = "0") { return 410; }`;
const now = Math.floor(Date.now() / 1000);

serverCases('nginx', 'access to nginx', nginx, [
  {
    name: 'a login for everything',
    expected: ['error unreachable status-401 (manifest)'],
    put,
    server: `${LOGIN} ${GOOD}`,
  },
  {
    name: 'a login for everything, with credentials given',
    expected: forAllResources('warning cors-preflight-refused header-refused'),
    put,
    server: `${LOGIN} ${GOOD}`,
    secret: BASIC,
  },
  {
    name: 'a login that allows preflights and Authorization',
    put,
    server: `${LOGIN} ${GOOD.replace('Allow-Headers *', 'Allow-Headers "*, Authorization"')}`,
    secret: BASIC,
  },
  {
    name: 'a login for artifacts only',
    expected: forResources('error unreachable status-401', 'artifact 1.0.0'),
    put,
    server: location('\\.gz$', LOGIN),
  },
  {
    name: 'only certain addresses',
    expected: ['error unreachable status-403 (manifest)'],
    server: `allow 192.0.2.0/24; deny all; ${GOOD}`,
  },
  {
    name: 'clients are refused by their User-Agent',
    expected: ['error unreachable status-403 (manifest)'],
    server: `if ($http_user_agent !~ Mozilla) { return 403; } ${GOOD}`,
  },
  {
    name: 'some clients are refused by their User-Agent',
    server: `if ($http_user_agent ~* (curl|wget|python|bot)) { return 403; } ${GOOD}`,
  },
  {
    name: 'the connection is closed without a response',
    expected: ['error unreachable reset (icon)'],
    server: `${GOOD} location ~ \\.svg$ { return 444; }`,
  },
  {
    name: 'hotlink protection that allows requests without a referrer',
    expected: forResources('warning cors-origin-refused status-403', 'icon', 'artifact 1.0.0'),
    server: location(
      '\\.(svg|png|gz)$',
      'valid_referers none blocked server_names; if ($invalid_referer) { return 403; }',
    ),
  },
  {
    name: 'the same, requested with the service’s origin',
    expected: forResources('error cors-origin-refused status-403', 'icon', 'artifact 1.0.0'),
    named: true,
    server: location(
      '\\.(svg|png|gz)$',
      'valid_referers none blocked server_names; if ($invalid_referer) { return 403; }',
    ),
  },
  {
    name: 'hotlink protection that allows the service',
    named: true,
    server: location(
      '\\.(svg|png|gz)$',
      'valid_referers none blocked server_names svc.test; if ($invalid_referer) { return 403; }',
    ),
  },
  {
    name: 'hotlink protection that requires a referrer',
    expected: ['error unreachable status-403 (icon)'],
    server: location(
      '\\.(svg|png)$',
      'valid_referers server_names *.example.com; if ($invalid_referer) { return 403; }',
    ),
  },
  {
    name: 'a sufficient limit',
    global: 'limit_req_zone $binary_remote_addr zone=all:1m rate=200r/s;',
    server: `limit_req zone=all burst=100; ${GOOD}`,
  },
  {
    name: 'a limit on artifacts: the first one passes, 503 for the others',
    global: 'limit_req_zone $binary_remote_addr zone=all:1m rate=1r/m;',
    server: location('2\\.0\\.0\\.tar\\.gz$', 'limit_req zone=all;'),
    put: oneVersion,
  },
  {
    name: 'the same with 429',
    global: 'limit_req_zone $binary_remote_addr zone=all:1m rate=1r/m;',
    server: location('2\\.0\\.0\\.tar\\.gz$', 'limit_req zone=all; limit_req_status 429;'),
    put: oneVersion,
  },
  {
    name: 'a limit that refuses all clients',
    expected: ['error unreachable rate-limited (metadata)'],
    server: `error_page 429 @slow; location @slow { add_header Retry-After 3600 always; return 429; } ${GOOD} location ~ versions\\.json$ { return 429; }`,
  },
  {
    name: 'maintenance',
    expected: ['error unreachable maintenance (manifest)'],
    server: `${GOOD} location = /registry.json { add_header Retry-After 7200 always; return 503; }`,
  },
  {
    name: 'maintenance without a time',
    expected: ['error unreachable status-503 (manifest)'],
    server: `${GOOD} location = /registry.json { return 503; }`,
  },
  {
    name: 'no server behind the proxy',
    expected: ['error unreachable status-502 (icon)'],
    server: `${GOOD} location ~ \\.svg$ { proxy_pass http://127.0.0.1:1; }`,
  },
  {
    name: 'a signed link that is valid for a year',
    expected: ['warning url-signed-expiring expiring (artifact 2.0.0)'],
    server: location('\\.gz$', SECURE),
    put: signed(now + 365 * 86_400),
  },
  {
    name: 'an expired signed link',
    expected: [
      'error unreachable signature-expired (artifact 2.0.0)',
      'error url-signed-expiring expired (artifact 2.0.0)',
    ],
    server: location('\\.gz$', SECURE),
    put: signed(now - 3600),
  },
  {
    name: 'a signed link with a wrong signature',
    expected: [
      'error unreachable status-403 (artifact 2.0.0)',
      'warning url-signed-expiring expiring (artifact 2.0.0)',
    ],
    server: location('\\.gz$', SECURE.replace(' secret', ' changed')),
    put: signed(now + 365 * 86_400),
  },
  {
    name: 'the intermediate certificate is not sent',
    expected: ['error tls-untrusted incomplete-chain (manifest)'],
    tls: 'leaf-only',
    server: GOOD,
  },
  {
    name: 'a certificate of another name',
    expected: ['error tls-untrusted wrong-host (manifest)'],
    tls: 'wrong-host',
    server: GOOD,
  },
  {
    name: 'plain HTTP at the port',
    expected: ['error unreachable not-tls (manifest)'],
    listen: 'listen 127.0.0.1:@PORT@;',
    server: GOOD,
  },
  {
    name: 'only old TLS',
    expected: ['error tls-untrusted old-protocol (manifest)'],
    server: `ssl_protocols TLSv1.1; ssl_ciphers ALL:@SECLEVEL=0; ${GOOD}`,
  },
  {
    name: 'a client certificate is required',
    expected: ['error unreachable client-certificate-required (manifest)'],
    server: `ssl_client_certificate @CERT@; ssl_verify_client on; ${GOOD}`,
  },
  {
    name: 'a client certificate is optional',
    server: `ssl_client_certificate @CERT@; ssl_verify_client optional; ${GOOD}`,
  },
  {
    name: 'an origin that only the firewall allows',
    named: true,
    server: `if ($http_origin !~ "^(${ORIGIN.replaceAll('.', '\\.')})?$") { return 403; } ${GOOD}`,
  },
  {
    name: 'a firewall that allows other origins',
    expected: forAllResources('error cors-origin-refused status-403'),
    named: true,
    server: `if ($http_origin !~ "^(https://www\\.example\\.com)?$") { return 403; } ${GOOD}`,
  },
]);

function oneVersion(root: string, origin: string): void {
  write(root, {
    'apps/app-a/versions.json': {
      versions: [
        {
          version: '2.0.0',
          artifactUrl: `${origin}/apps/app-a/versions/2.0.0.tar.gz`,
          artifactChecksum: checksum(BYTES['2.0.0']),
        },
      ],
    },
  });
}
