import { tlsExpiring } from '../../../../src/core/rules/http/tls-expiring.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, hop, NOW, tls, probe, web } from '../../../support/probes.ts';

const certificateUntil = (notAfter: string) => ({ web: web(probe(hop({}, { tls: tls({ notAfter }) }))), now: NOW });

ruleTable(tlsExpiring, {
  clean: [
    ['months left', certificateUntil('2027-02-01T00:00:00.000Z')],
    ['a little more than 21 days', certificateUntil('2026-12-12T12:00:01.000Z')],
    [
      'expired, which tls-untrusted reports',
      {
        web: web(failed('tls', 'CERT_HAS_EXPIRED', {}, { tls: tls({ notAfter: '2026-11-01T00:00:00.000Z' }) })),
        now: NOW,
      },
    ],
    ['no TLS', { web: web(), now: NOW }],
  ],
  faulty: [
    ['21 days', certificateUntil('2026-12-12T12:00:00.000Z'), { message: 'in 21 days', dedupeKey: 'apps.example.com' }],
    ['a day', certificateUntil('2026-11-22T13:00:00.000Z'), { message: 'in 1 day,' }],
    [
      'an intermediate certificate',
      {
        web: web(
          probe(
            hop(
              {},
              {
                tls: tls({
                  endsFirst: {
                    subject: 'C=US, CN=Example R3',
                    notAfter: '2026-11-24T12:00:00.000Z',
                    fingerprint256: 'CC',
                    root: false,
                  },
                }),
              },
            ),
          ),
        ),
        now: NOW,
      },
      { cause: 'intermediate', message: '“Example R3” of apps.example.com expires in 3 days', advice: 'fullchain.pem' },
    ],
    [
      'a root certificate',
      {
        web: web(
          probe(
            hop(
              {},
              {
                tls: tls({
                  endsFirst: {
                    subject: 'CN=Example Root',
                    notAfter: '2026-11-24T12:00:00.000Z',
                    fingerprint256: 'DD',
                    root: true,
                  },
                }),
              },
            ),
          ),
        ),
        now: NOW,
      },
      { cause: 'root', message: '“Example Root”' },
    ],
    ['an hour', certificateUntil('2026-11-21T13:00:00.000Z'), { message: 'in less than a day' }],
  ],
});
