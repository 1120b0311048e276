import { redirectInsecure } from '../../../../src/core/rules/http/redirect-insecure.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, hop, probe, web } from '../../../support/probes.ts';

const chain = (...urls: string[]) => ({
  resource: 'icon' as const,
  web: web(probe(urls.map((url, i) => hop({}, { url, status: i === urls.length - 1 ? 200 : 302 })))),
});

ruleTable(redirectInsecure, {
  clean: [
    ['no redirect', chain('https://a.test/')],
    ['https to https', chain('https://a.test/', 'https://b.test/')],
    ['http to https', chain('http://a.test/', 'https://a.test/')],
  ],
  faulty: [
    [
      'https to http',
      chain('https://a.test/', 'http://a.test/x'),
      { evidence: { from: 'https://a.test/', to: 'http://a.test/x', status: 302 }, advice: 'https://a.test/x' },
    ],
    ['and back', chain('https://a.test/', 'http://a.test/x', 'https://a.test/y'), {}],
    [
      'to a host that does not respond',
      {
        resource: 'icon' as const,
        web: web(
          probe([hop({}, { status: 301 }), hop({}, { url: 'http://a.test/', status: 0 })], {
            failure: failed('connect', 'ECONNREFUSED').failure,
          }),
        ),
      },
      {},
    ],
  ],
});
