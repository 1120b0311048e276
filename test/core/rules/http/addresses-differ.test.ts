import { addressesDiffer } from '../../../../src/core/rules/http/addresses-differ.ts';
import type { AddressFailure, AddressSample, SampleContent } from '../../../../src/core/facts/facts.ts';
import { PROBE_ORIGIN } from '../../../../src/core/http/cors.ts';
import { CERTIFICATE_FAULTS } from '../../../support/certificate-faults.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, hop, NOW, tls, probe, web } from '../../../support/probes.ts';

const URL_ON_PORT = 'https://a.example:8443/x';
const facts = (vain: AddressFailure[], status = 200) => ({
  resource: 'manifest' as const,
  web: web(probe(hop({}, { url: URL_ON_PORT, status, failedAddresses: vain, tls: tls() }))),
  now: NOW,
});
const EXPIRED_CERTIFICATE: AddressFailure = {
  address: '192.0.2.2',
  code: 'CERT_HAS_EXPIRED',
  phase: 'tls',
  message: 'certificate has expired',
  tls: tls({ notAfter: '2026-11-14T12:00:00.000Z' }),
};

const sample = (change: Partial<AddressSample> = {}): AddressSample => ({
  server: probe(hop()),
  content: { bytes: 2, sha256: 'a'.repeat(64), cut: false },
  browser: probe(hop({ 'access-control-allow-origin': '*' }), { origin: PROBE_ORIGIN }),
  ...change,
});
/** Two addresses, the second of which answers otherwise. */
const compared = (...samples: AddressSample[]) => ({
  resource: 'manifest' as const,
  web: web(probe(), {
    addresses: [
      {
        url: 'https://a.example/x',
        answers: [
          { address: '192.0.2.1', samples: samples.map(() => sample()) },
          { address: '192.0.2.2', samples },
        ],
        leftOut: 0,
        families: [4],
      },
    ],
  }),
  now: NOW,
});
const allowing = (headers: Record<string, string>) =>
  probe(hop({ 'access-control-allow-origin': '*', ...headers }), { origin: PROBE_ORIGIN });
const other = { bytes: 3, sha256: 'b'.repeat(64), cut: false };
const { content } = sample();
/** The same, each with a compressed copy. */
const comparedCopies = (copy: SampleContent | null, gzipContent?: SampleContent | null) => {
  const second = sample({ browserContent: copy, ...(gzipContent !== undefined && { gzipContent }) });
  const given = compared(second);
  const [addresses] = given.web.addresses ?? [];
  if (addresses === undefined || 'missing' in addresses) throw new Error('The addresses were compared.');
  const first = sample({ browserContent: content, ...(gzipContent !== undefined && { gzipContent: content }) });
  addresses.answers[0]!.samples = [first];
  return given;
};
const refusedConnection = sample({ server: failed('connect', 'ECONNREFUSED'), content: null, browser: null });

ruleTable(addressesDiffer, {
  clean: [
    ['one address', { resource: 'manifest', web: web(), now: NOW }],
    [
      'an address that refuses connections, which host-intermittent reports',
      facts([{ address: '192.0.2.2', code: 'ECONNREFUSED' }]),
    ],
    ['two addresses that serve the same', compared(sample())],
    ['a difference that did not last', compared(sample({ server: probe(hop({}, { status: 404 })) }), sample())],
    ['an interrupted run', compared(sample({ server: failed('body', 'INTERRUPTED'), content: null }))],
    ['a limit of requests', compared(sample({ server: probe(hop({}, { status: 429 })), content: null }))],
    ['other headers that are not judged', compared(sample({ browser: allowing({ 'x-served-by': 'b' }) }))],
    [
      'Cross-Origin-Resource-Policy of a JSON file',
      compared(sample({ browser: allowing({ 'cross-origin-resource-policy': 'same-origin' }) })),
    ],
    ['no address answers, which another rule reports', facts([EXPIRED_CERTIFICATE], 0)],
  ],
  faulty: [
    ...CERTIFICATE_FAULTS.map(
      ({ cause, code, message = code, tls: certificate }) =>
        [
          `certificate: ${cause}`,
          facts([{ address: '192.0.2.2', code, phase: 'tls', message, tls: tls(certificate) }]),
          { cause },
        ] as const,
    ),
    [
      'another handshake fault',
      facts([{ address: '192.0.2.2', code: 'EPROTO', phase: 'tls', message: 'EPROTO' }]),
      { cause: 'handshake' },
    ],
    [
      'no connection',
      compared(refusedConnection, refusedConnection),
      { cause: 'unreachable', message: 'no complete response from 192.0.2.2 (ECONNREFUSED), only from 192.0.2.1.' },
    ],
    [
      'another status',
      compared(sample({ server: probe(hop({}, { status: 403 })), content: null })),
      { cause: 'status', message: '192.0.2.2 responds with 403, but 192.0.2.1 with 200.' },
    ],
    [
      'other content',
      compared(sample({ content: { bytes: 3, sha256: 'b'.repeat(64), cut: false } })),
      { cause: 'content', message: '192.0.2.2 (3 bytes, SHA-256 bbbbbbbbbbbb…)', dedupeKey: 'content a.example' },
    ],
    [
      'no CORS headers',
      compared(sample({ browser: probe(hop(), { origin: PROBE_ORIGIN }) })),
      { cause: 'cors', message: '192.0.2.2 (no Access-Control-Allow-Origin) does not, 192.0.2.1 does.' },
    ],
    [
      'another type, which is a warning',
      compared(sample({ server: probe(hop({ 'content-type': 'text/plain' })) })),
      { cause: 'type', severity: 'warning', message: 'text/plain' },
    ],
    [
      'another type of an icon, for browsers only',
      { ...compared(sample({ browser: allowing({ 'content-type': 'text/plain' }) })), resource: 'icon' },
      { cause: 'type', message: 'and text/plain for browsers' },
    ],
    [
      'an icon that other pages may not embed',
      {
        ...compared(sample({ browser: allowing({ 'cross-origin-resource-policy': 'same-origin' }) })),
        resource: 'icon',
      },
      { cause: 'corp', message: '192.0.2.1 (every page), 192.0.2.2 (same-origin)' },
    ],
    [
      'a lifetime of a year for browsers',
      compared(sample({ browser: allowing({ 'cache-control': 'max-age=31536000' }) })),
      { cause: 'cache', severity: 'warning', message: 'max-age=31536000 for browsers' },
    ],
    [
      'another body for browsers',
      comparedCopies(other),
      { cause: 'copy', message: '192.0.2.1 (SHA-256 aaaaaaaaaaaa…), 192.0.2.2 (SHA-256 bbbbbbbbbbbb…)' },
    ],
    [
      'a gzip copy that cannot be decoded',
      comparedCopies(content, null),
      { cause: 'copy', message: '192.0.2.2 (cannot be decoded)' },
    ],
    [
      'an expired certificate',
      facts([EXPIRED_CERTIFICATE]),
      {
        cause: 'expired',
        message: 'a.example has several addresses, and 192.0.2.2 does not respond like 192.0.2.1: the certificate of',
        advice: 'Correct the server at 192.0.2.2, or remove that address from DNS. Renew the certificate',
        dedupeKey: 'a.example:8443',
        evidence: { differing: ['192.0.2.2 CERT_HAS_EXPIRED'], notAfter: '2026-11-14T12:00:00.000Z' },
      },
    ],
    [
      'another name',
      facts([{ ...EXPIRED_CERTIFICATE, code: 'ERR_TLS_CERT_ALTNAME_INVALID', tls: tls({ names: ['b.example'] }) }]),
      { cause: 'wrong-host', message: 'not valid for a.example; it names b.example' },
    ],
    [
      'a reset during the handshake',
      facts([{ address: '192.0.2.2', code: 'ECONNRESET', phase: 'tls', message: 'read ECONNRESET' }]),
      { cause: 'reset', message: 'closes the connection' },
    ],
    [
      'silence, and another one that speaks no TLS',
      facts([
        { address: '192.0.2.2', code: 'CONNECT_TIMEOUT', phase: 'tls' },
        { address: '192.0.2.3', code: 'ERR_SSL_WRONG_VERSION_NUMBER', phase: 'tls' },
      ]),
      { cause: 'no-answer', message: 'The connection also fails with 192.0.2.3.' },
    ],
  ],
});
