import { unreachable } from '../../../../src/core/rules/http/unreachable.ts';
import type { Probe } from '../../../../src/core/facts/facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, hop, NOW, probe, web } from '../../../support/probes.ts';

const facts = (service: Probe) => ({ resource: 'manifest' as const, web: web(service), now: NOW });
const status = (code: number, headers: Record<string, string> = {}, excerpt?: string) =>
  facts(probe(hop(headers, { status: code, ...(excerpt === undefined ? {} : { excerpt }) })));
const withCredentials = (code: number) => facts(probe(hop({}, { status: code, withCredentials: true })));
const EXPIRED_URL = 'https://apps.example.com/x?X-Amz-Date=20260101T000000Z&X-Amz-Expires=60&X-Amz-Signature=a';
const ALL_PROXY = { proxy: { url: '', variable: 'ALL_PROXY' } };
const failedBehindProxy = (code: string) =>
  failed('proxy', code, {}, { proxy: { url: 'http://proxy.corp:3128', variable: 'HTTP_PROXY' } });

const LOCAL = 'http://localhost:8080/registry.json';

/** The bodies with which servers respond to an unencrypted request on a port for TLS. */
const EXPECTS_TLS = [
  '<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head>',
  'Reason: You&#39;re speaking plain HTTP to an SSL-enabled server port.<br /> Instead use the HTTPS scheme',
  'Client sent an HTTP request to an HTTPS server.\n',
  'Bad Request\r\nThis combination of host and port requires TLS.\r\n',
];

ruleTable(unreachable, {
  clean: [
    ['200', status(200)],
    ['204', status(204)],
    ['a certificate, which tls-untrusted reports', facts(failed('tls', 'CERT_HAS_EXPIRED'))],
    ['a loop, which redirect-excessive reports', facts(failed('redirect', 'REDIRECT_LOOP'))],
    ['plain http, which url-insecure reports', facts(failed('connect', 'INSECURE_REFUSED'))],
    ['too many redirects, which redirect-excessive reports', facts(failed('redirect', 'REDIRECT_LIMIT'))],
  ],
  faulty: [
    ['no such name', facts(failed('dns', 'ENOTFOUND')), { cause: 'dns-not-found' }],
    ['name servers silent', facts(failed('dns', 'EAI_AGAIN')), { cause: 'dns-temporary' }],
    ['refused', facts(failed('connect', 'ECONNREFUSED')), { cause: 'refused' }],
    [
      'an http URL, and the server expects TLS',
      facts(failed('headers', 'TLS_EXPECTED')),
      { cause: 'expects-tls', advice: 'Use https: https://apps.example.com' },
    ],
    ...EXPECTS_TLS.map(
      (text) =>
        [
          `an http URL, and the response “${text.slice(0, 40)}…”`,
          facts(probe(hop({}, { url: 'http://apps.example.com:8443/r.json', status: 400, excerpt: text }))),
          { cause: 'expects-tls', advice: 'Use https: https://apps.example.com:8443/r.json' },
        ] as const,
    ),
    [
      'seen by the service',
      facts(failed('connect', 'NOT_REACHED')),
      { cause: 'not-reached', message: 'from the service' },
    ],
    [
      'a port that the service refuses',
      facts(failed('connect', 'PORT_REFUSED')),
      { cause: 'port-refused', advice: '443' },
    ],
    [
      'plain http on loopback, about which url-insecure only warns',
      facts(failed('connect', 'INSECURE_REFUSED', { url: LOCAL }, { url: LOCAL })),
      { cause: 'insecure-refused', message: 'unencrypted requests', advice: '--allow-host' },
    ],
    ['no route', facts(failed('connect', 'EHOSTUNREACH')), { cause: 'no-route' }],
    [
      'IPv6 alone, and none here',
      facts(failed('connect', 'ENETUNREACH', { message: 'connect ENETUNREACH 2001:db8::1:443 - Local (:::0)' })),
      { cause: 'no-ipv6-here' },
    ],
    [
      'IPv4 without a way there',
      facts(failed('connect', 'ENETUNREACH', { message: 'connect ENETUNREACH 192.0.2.1:443 - Local (0.0.0.0:0)' })),
      { cause: 'no-route' },
    ],
    ['a connection that times out', facts(failed('connect', 'ETIMEDOUT')), { cause: 'connect-timeout' }],
    ['another failure', facts(failed('headers', 'UND_ERR_OTHER')), { cause: 'failed' }],
    [
      'a redirect to a blocked port',
      facts(failed('redirect', 'REDIRECT_BLOCKED_PORT', { url: 'https://a.test:6000/x' }, { status: 302 })),
      { cause: 'redirect-port-blocked', message: 'a.test:6000' },
    ],
    [
      'a redirect to two places',
      facts(
        failed(
          'redirect',
          'REDIRECT_SEVERAL_LOCATIONS',
          {},
          {
            status: 302,
            headers: [
              ['location', '/a'],
              ['location', ''],
            ],
          },
        ),
      ),
      { cause: 'redirect-ambiguous', message: '(/a and an empty one)', evidence: { locations: ['/a', ''] } },
    ],
    ['407', status(407), { cause: 'status-407', message: 'a proxy requires authentication' }],
    ['451', status(451), { cause: 'status-451', message: 'legal reasons' }],
    ['no connection in time', facts(failed('connect', 'CONNECT_TIMEOUT')), { cause: 'connection-failed' }],
    ['handshake reset', facts(failed('tls', 'ECONNRESET')), { cause: 'tls-reset' }],
    ['handshake never answered', facts(failed('tls', 'CONNECT_TIMEOUT')), { cause: 'tls-timeout' }],
    ['plain http on a TLS port', facts(failed('tls', 'ERR_SSL_WRONG_VERSION_NUMBER')), { cause: 'not-tls' }],
    ['only HTTP/2', facts(failed('tls', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL')), { cause: 'http2-only' }],
    ['only HTTP/2, without TLS', facts(failed('headers', 'HTTP2_ALONE')), { cause: 'http2-only' }],
    ['unknown name', facts(failed('tls', 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME')), { cause: 'tls-unknown-name' }],
    ['some other handshake fault', facts(failed('tls', 'EPROTO')), { cause: 'tls-failed' }],
    [
      'a proxy that refuses connections',
      facts(failedBehindProxy('ECONNREFUSED')),
      { cause: 'proxy-refused', advice: 'HTTP_PROXY' },
    ],
    ['a proxy without a name', facts(failedBehindProxy('ENOTFOUND')), { cause: 'proxy-not-found' }],
    ['a silent proxy', facts(failedBehindProxy('CONNECT_TIMEOUT')), { cause: 'proxy-timeout' }],
    ['a proxy that breaks off', facts(failedBehindProxy('ECONNRESET')), { cause: 'proxy-reset' }],
    ['a server that is not a proxy', facts(failedBehindProxy('PROXY_NOT_HTTP')), { cause: 'proxy-not-http' }],
    [
      'a proxy with a login',
      facts(failedBehindProxy('PROXY_407')),
      { cause: 'proxy-authentication', advice: 'HTTP_PROXY' },
    ],
    [
      'a proxy that refuses',
      facts(failedBehindProxy('PROXY_403')),
      { cause: 'proxy-refused-host', advice: 'NO_PROXY' },
    ],
    ['a proxy that finds no way', facts(failedBehindProxy('PROXY_502')), { cause: 'proxy-cannot-reach-host' }],
    [
      'a proxy that is not trusted',
      facts(failedBehindProxy('SELF_SIGNED_CERT_IN_CHAIN')),
      { cause: 'proxy-untrusted', advice: '--ca' },
    ],
    [
      'a proxy whose certificate has expired',
      facts(failedBehindProxy('CERT_HAS_EXPIRED')),
      { cause: 'proxy-untrusted', message: 'itself has expired', advice: 'renew it' },
    ],
    [
      'a proxy whose certificate is not valid yet',
      facts(failedBehindProxy('CERT_NOT_YET_VALID')),
      { cause: 'proxy-untrusted', message: 'itself is not valid yet', advice: 'clock' },
    ],
    [
      'a proxy with a certificate for another name',
      facts(failedBehindProxy('ERR_TLS_CERT_ALTNAME_INVALID')),
      { cause: 'proxy-untrusted', message: 'itself is for another name', advice: 'the name that the certificate has' },
    ],
    [
      'a proxy with an obsolete version of TLS',
      facts(failedBehindProxy('ERR_SSL_UNSUPPORTED_PROTOCOL')),
      { cause: 'proxy-handshake', message: 'the TLS handshake with the proxy', advice: 'TLS 1.2' },
    ],
    [
      'a proxy that responds with a page',
      facts(failedBehindProxy('PROXY_PAGE')),
      { cause: 'proxy-page', message: 'a page instead of a tunnel', advice: 'NO_PROXY' },
    ],
    [
      'a handshake that is not answered through a proxy',
      facts(failed('tls', 'CONNECT_TIMEOUT', {}, { proxy: { url: 'http://proxy.corp:3128', variable: 'HTTP_PROXY' } })),
      { cause: 'tls-timeout', message: 'through the proxy http://proxy.corp:3128 (HTTP_PROXY): ', advice: 'NO_PROXY' },
    ],
    [
      'a proxy of another kind',
      facts(failed('proxy', 'PROXY_UNUSABLE', { message: 'a socks5 proxy' }, ALL_PROXY)),
      { cause: 'proxy-unusable', message: 'ALL_PROXY is set to a socks5 proxy, which cannot be used.' },
    ],
    ['another failure of a proxy', facts(failedBehindProxy('EHOSTUNREACH')), { cause: 'proxy-failed' }],
    ['reset', facts(failed('headers', 'ECONNRESET')), { cause: 'reset' }],
    ['no answer', facts(failed('headers', 'HEADERS_TIMEOUT')), { cause: 'no-answer' }],
    [
      'no response to any request',
      facts(failed('headers', 'HEADERS_TIMEOUT')),
      { dedupeKey: 'manifest apps.example.com no-answer' },
    ],
    [
      'not one byte until the time is over',
      facts(failed('time', 'TOTAL_TIMEOUT')),
      { cause: 'no-answer', dedupeKey: 'manifest apps.example.com no-answer', advice: '--timeout' },
    ],
    ['500, which is the host’s', status(500), { dedupeKey: 'manifest apps.example.com status-500' }],
    ['401, which is the host’s', status(401), { dedupeKey: 'manifest apps.example.com status-401' }],
    ['not HTTP', facts(failed('headers', 'HPE_INVALID_STATUS_CODE')), { cause: 'not-http' }],
    ['another protocol', facts(failed('headers', 'UPGRADE')), { cause: 'not-http' }],
    [
      'nginx, without the certificate of its visitor',
      status(400, {}, '<h1>400 Bad Request</h1>No required SSL certificate was sent'),
      { cause: 'client-certificate-required' },
    ],
    [
      'truncated',
      facts(failed('body', 'TRUNCATED', { got: 5, expected: 9 })),
      { cause: 'truncated', message: '5 of 9 bytes' },
    ],
    ['stalled', facts(failed('body', 'BODY_TIMEOUT', { got: 5 })), { cause: 'stalled', message: '5 bytes' }],
    [
      'too slow',
      facts(failed('time', 'TOTAL_TIMEOUT', { got: 3, expected: 9 }, { status: 200 })),
      { cause: 'too-slow', advice: '--timeout' },
    ],
    ['too large', facts(failed('size', 'TOO_LARGE', { expected: 100 })), { cause: 'too-large' }],
    ['cannot be decoded', facts(failed('decode', 'Z_DATA_ERROR')), { cause: 'content-encoding-broken' }],
    ['a part', facts(failed('headers', 'UNSOLICITED_PARTIAL', {}, { status: 206 })), { cause: 'unsolicited-partial' }],
    [
      'a redirect to nowhere',
      facts(failed('redirect', 'REDIRECT_NO_LOCATION', {}, { status: 302 })),
      { cause: 'redirect-without-location' },
    ],
    [
      'a redirect to nonsense',
      facts(
        failed('redirect', 'REDIRECT_BAD_LOCATION', {}, { status: 302, headers: [['location', 'ftp://x.test/a']] }),
      ),
      { cause: 'redirect-malformed', message: 'leads to “ftp://x.test/a”, which is not an http or https URL' },
    ],
    [
      'a redirect with a password',
      facts(failed('redirect', 'REDIRECT_CREDENTIALS', {}, { status: 302 })),
      { cause: 'redirect-credentials' },
    ],
    ['404', status(404, {}, 'nothing here'), { cause: 'status-404', message: '404' }],
    [
      '403 with a code',
      status(403, {}, '<Error><Code>AccessDenied</Code>'),
      { cause: 'status-403', message: 'AccessDenied' },
    ],
    ['401', status(401), { cause: 'status-401', advice: '--header-env' }],
    ['401 for credentials', withCredentials(401), { cause: 'credentials-refused' }],
    ['403 for credentials', withCredentials(403), { cause: 'credentials-refused' }],
    [
      '401 of another origin than that of the credentials',
      facts(probe(hop({}, { status: 401, credentialsFor: 'https://registry.example.com' }))),
      {
        cause: 'status-401',
        message: 'the given credentials were not sent there, since they are only for https://registry.example.com',
        advice: 'serve it from the origin of the manifest',
        evidence: { credentialsFor: 'https://registry.example.com' },
      },
    ],
    [
      '403 of another origin than that of the credentials',
      facts(probe(hop({}, { status: 403, credentialsFor: 'https://registry.example.com' }))),
      { cause: 'status-403', message: 'the given credentials were not sent there' },
    ],
    ['404 for a request with credentials', withCredentials(404), { cause: 'status-404' }],
    [
      'nginx wants a client certificate',
      status(400, {}, '<title>400 No required SSL certificate was sent</title>'),
      { cause: 'client-certificate-required' },
    ],
    [
      'a link of nginx that ended',
      facts(probe(hop({}, { status: 410, url: 'https://apps.example.com/x?md5=a&expires=1767225600' }))),
      { cause: 'signature-expired', message: '2026-01-01' },
    ],
    ['410', status(410), { cause: 'status-410' }],
    ['304', status(304), { cause: 'status-304' }],
    ['429 for a day', status(429, { 'retry-after': '86400' }), { cause: 'rate-limited', message: '86400 s' }],
    [
      '503 with Retry-After at the first request',
      status(503, { 'retry-after': '120' }),
      { cause: 'maintenance', message: '120 s' },
    ],
    [
      '503 with Retry-After later',
      { ...status(503, { 'retry-after': '120' }), resource: 'icon' },
      { cause: 'rate-limited' },
    ],
    [
      'bot protection',
      status(403, { 'cf-mitigated': 'challenge' }),
      { cause: 'bot-protection', message: 'Cloudflare' },
    ],
    ['a firewall', status(403, {}, '<html><title>Request Rejected</title>'), { cause: 'firewall', message: 'F5' }],
    ['a CDN without its origin', status(522, {}, 'error code: 522'), { cause: 'origin-down', message: 'Cloudflare' }],
    ['a parked domain', status(403, {}, '<html><title>This domain is for sale</title>'), { cause: 'parked-domain' }],
    [
      'no site',
      status(404, {}, "<html>There isn't a GitHub Pages site here."),
      { cause: 'no-site', advice: 'Connect the domain' },
    ],
    ['a portal', status(403, {}, '<html>FortiGuard Intrusion Prevention</html>'), { cause: 'captive-portal' }],
    [
      'a bucket in another region',
      status(301, {}, '<Error><Code>PermanentRedirect</Code><Endpoint>b.s3.eu-west-1.amazonaws.com</Endpoint></Error>'),
      { cause: 'wrong-region', advice: 'https://b.s3.eu-west-1.amazonaws.com/registry.json' },
    ],
    ['no content', facts(failed('headers', 'NO_CONTENT')), { cause: 'no-content' }],
    ['an archived blob', status(409, {}, '<Error><Code>BlobArchived</Code></Error>'), { message: 'archived' }],
    ['503', status(503), { cause: 'status-503' }],
    [
      '511, which a network answers in place of the host',
      status(511),
      {
        cause: 'captive-portal',
        message: 'captive portal',
        advice: 'Sign in to that network',
        dedupeKey: 'manifest apps.example.com captive-portal',
      },
    ],
    [
      'a URL in another spelling than it is listed: no redirects',
      facts(probe(hop({}, { status: 404, url: 'https://apps.example.com/x' }))),
      { cause: 'status-404', message: 'the host responds with 404: the file does not exist' },
    ],
    [
      'a name on a port: DNS has no ports',
      facts(failed('dns', 'ESERVFAIL', { url: 'https://a.example:8443/x' })),
      { cause: 'dns-failed', message: 'the name a.example could not' },
    ],
    ['999', status(999), { cause: 'status-999' }],
    [
      'a signed URL that ended',
      facts(probe(hop({}, { status: 403, url: EXPIRED_URL }))),
      { cause: 'signature-expired', message: '2026-01-01T00:01:00.000Z' },
    ],
  ],
});
