import { tlsUntrusted } from '../../../../src/core/rules/http/tls-untrusted.ts';
import type { Probe } from '../../../../src/core/facts/facts.ts';
import { CERTIFICATE_FAULTS } from '../../../support/certificate-faults.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, hop, NOW, tls, probe, web } from '../../../support/probes.ts';

const facts = (service: Probe) => ({ resource: 'manifest' as const, web: web(service), now: NOW });
const untrusted = (code: string, more = {}) => facts(failed('tls', code, {}, { tls: tls(more) }));

const certificateFor = (host: string, ...names: string[]) =>
  facts(
    failed(
      'tls',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      { url: `https://${host}/x` },
      { url: `https://${host}/x`, tls: tls({ names }) },
    ),
  );

const proxy = { url: 'http://proxy.corp:3128', variable: 'HTTPS_PROXY' };

ruleTable(tlsUntrusted, {
  clean: [
    ['trusted', facts(probe(hop({}, { tls: tls() })))],
    ['plain http', facts(probe())],
    ['a reset during the handshake', facts(failed('tls', 'ECONNRESET'))],
    ['HTTP/2 alone is another matter', facts(failed('tls', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'))],
  ],
  faulty: [
    ...CERTIFICATE_FAULTS.map(
      ({ cause, code, message = code, tls: certificate }) =>
        [
          `certificate: ${cause}`,
          facts(failed('tls', code, { message }, { tls: tls(certificate) })),
          { cause },
        ] as const,
    ),
    [
      'expired',
      untrusted('CERT_HAS_EXPIRED', { notAfter: '2026-01-01T00:00:00.000Z' }),
      { cause: 'expired', message: '325 days ago', advice: 'An old file may have been restored' },
    ],
    [
      'expired a week ago',
      untrusted('CERT_HAS_EXPIRED', { notAfter: '2026-11-14T12:00:00.000Z' }),
      { cause: 'expired', message: '7 days ago, at 2026-11-14', advice: 'why the automatic renewal did not run' },
    ],
    [
      'expired, through a proxy',
      facts(failed('tls', 'CERT_HAS_EXPIRED', {}, { tls: tls({ notAfter: '2026-11-14T12:00:00.000Z' }), proxy })),
      {
        cause: 'expired',
        message: 'cannot be fetched securely through the proxy http://proxy.corp:3128 (HTTPS_PROXY): the certificate',
        advice: 'correct the proxy',
      },
    ],
    [
      'expired, through a proxy, and issued by a public authority',
      facts(
        failed(
          'tls',
          'CERT_HAS_EXPIRED',
          {},
          { tls: tls({ notAfter: '2026-11-14T12:00:00.000Z', publicAuthority: true }), proxy },
        ),
      ),
      { cause: 'expired', message: 'cannot be fetched securely: the certificate', advice: 'Renew the certificate' },
    ],
    ['not yet valid', untrusted('CERT_NOT_YET_VALID'), { cause: 'not-yet-valid', advice: 'clock' }],
    ['self-signed', untrusted('DEPTH_ZERO_SELF_SIGNED_CERT'), { cause: 'self-signed' }],
    [
      'unknown issuer',
      untrusted('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'),
      { cause: 'unknown-issuer', message: 'this machine does not trust', advice: '--ca <file>' },
    ],
    [
      'unknown root, sent along',
      untrusted('SELF_SIGNED_CERT_IN_CHAIN'),
      { cause: 'unknown-issuer', message: 'the chain is complete' },
    ],
    [
      'a chain of which another certificate than the host’s ended, as older facts have it',
      untrusted('CERT_HAS_EXPIRED'),
      { cause: 'expired', message: 'a certificate in the chain of apps.example.com has expired.' },
    ],
    [
      'two certificates were sent, and neither is the issuer',
      untrusted('UNABLE_TO_VERIFY_LEAF_SIGNATURE', { sent: 2, path: [] }),
      { cause: 'incomplete-chain', message: 'sends 2 certificates, but not that of its issuer “Example CA”' },
    ],
    [
      'no intermediate',
      untrusted('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
      { cause: 'incomplete-chain', advice: 'full chain' },
    ],
    [
      'wrong host',
      untrusted('ERR_TLS_CERT_ALTNAME_INVALID', { names: ['other.example'] }),
      { cause: 'wrong-host', message: 'other.example' },
    ],
    [
      'wrong host on a port: names have none',
      facts(
        failed(
          'tls',
          'ERR_TLS_CERT_ALTNAME_INVALID',
          { url: 'https://a.example:8443/x' },
          { url: 'https://a.example:8443/x', tls: tls({ names: ['b.example'] }) },
        ),
      ),
      { cause: 'wrong-host', message: 'valid for a.example; it', advice: 'names include a.example,' },
    ],
    [
      'an address that was entered as a DNS name',
      certificateFor('192.0.2.1:8443', 'a.example', '192.0.2.1'),
      { cause: 'wrong-host', message: '192.0.2.1 as a DNS name', advice: 'subjectAltName = IP:192.0.2.1' },
    ],
    [
      'an IPv6 address that was entered as a DNS name',
      certificateFor('[2001:db8::1]', '2001:db8::1'),
      { cause: 'wrong-host', message: '2001:db8::1 as a DNS name', advice: 'subjectAltName = IP:2001:db8::1' },
    ],
    [
      'the name with a port',
      certificateFor('a.example:8443', 'a.example:8443'),
      { cause: 'wrong-host', message: 'names in a certificate have no port', advice: 'subjectAltName = DNS:a.example' },
    ],
    [
      'the name as a URL',
      certificateFor('a.example', 'https://a.example/'),
      {
        cause: 'wrong-host',
        message: 'a name in a certificate is not a URL',
        advice: 'subjectAltName = DNS:a.example',
      },
    ],
    [
      'a wildcard, and a name with two labels in its place',
      certificateFor('a.b.example', '*.example', 'example'),
      { cause: 'wrong-host', message: '* matches exactly one label', advice: 'names include a.b.example' },
    ],
    [
      'a wildcard, and the name without a label in its place',
      certificateFor('b.example', '*.b.example'),
      { cause: 'wrong-host', message: '* matches exactly one label', advice: 'names include b.example' },
    ],
    [
      'a wildcard over a top-level domain, which clients refuse',
      certificateFor('a.example', '*.example', 'b.test'),
      { cause: 'wrong-host', message: 'it names *.example, b.test.' },
    ],
    [
      'a wildcard of two levels',
      certificateFor('a.b.c.example', '*.*.c.example'),
      { cause: 'wrong-host', message: '* is allowed only in the first label' },
    ],
    [
      'more names than are shown',
      certificateFor('z.example', ...Array.from({ length: 9 }, (_, i) => `h${i}.example`)),
      { cause: 'wrong-host', message: 'h4.example and 4 more' },
    ],
    [
      'no name',
      untrusted('ERR_TLS_CERT_ALTNAME_INVALID', { names: [] }),
      { cause: 'wrong-host', message: 'has no subjectAltName for apps.example.com', advice: 'common name' },
    ],
    [
      'no name, and requested by an address',
      facts(
        failed(
          'tls',
          'ERR_TLS_CERT_ALTNAME_INVALID',
          { url: 'https://[2001:db8::1]:8443/x' },
          {
            url: 'https://[2001:db8::1]:8443/x',
            tls: tls({ names: [], subject: 'O=A, CN=2001:db8::1' }),
          },
        ),
      ),
      {
        cause: 'wrong-host',
        message: 'no subjectAltName for 2001:db8::1, only the common name (CN) “2001:db8::1”',
        advice: 'subjectAltName = IP:2001:db8::1',
      },
    ],
    [
      'old protocol',
      facts(failed('tls', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')),
      { cause: 'old-protocol', advice: 'TLS 1.2' },
    ],
    [
      'weak signature',
      facts(failed('tls', 'UNSPECIFIED', { message: 'CA signature digest algorithm too weak' })),
      { cause: 'weak-signature' },
    ],
    ['not for servers', untrusted('INVALID_PURPOSE'), { cause: 'wrong-purpose' }],
    [
      'client certificate',
      facts(failed('headers', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')),
      { cause: 'client-certificate-required', advice: 'signed URLs' },
    ],
    [
      'trusted because of --ca',
      facts(probe(hop({}, { tls: tls({ privateCa: true }) }))),
      { cause: 'private-ca', severity: 'note', dedupeKey: 'apps.example.com' },
    ],
    [
      'an authority of the machine',
      facts(probe(hop({}, { tls: tls({ privateCa: true, authority: 'NODE_EXTRA_CA_CERTS' }) }))),
      { cause: 'private-ca', severity: 'note', message: 'NODE_EXTRA_CA_CERTS' },
    ],
    [
      'a certificate that a proxy may have made',
      facts(probe(hop({}, { tls: tls({ privateCa: true, authority: 'system' }), proxy }))),
      { cause: 'private-ca', severity: 'note', message: 'replaced the host’s certificate' },
    ],
  ],
});
