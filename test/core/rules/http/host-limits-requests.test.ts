import { hostLimitsRequests } from '../../../../src/core/rules/http/host-limits-requests.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { load } from '../../../support/host-load.ts';

ruleTable(hostLimitsRequests, {
  clean: [
    ['one refusal may be chance', { facts: load({ 4: [40, 0], 6: [20, 0], 9: [0, 1] }) }],
    ['refusals at any number of requests', { facts: load({ 1: [20, 3], 4: [30, 4], 9: [20, 3] }) }],
    ['refusals of single requests', { facts: load({ 1: [12, 12] }) }],
  ],
  faulty: [
    [
      'requests beyond 8',
      { facts: load({ 4: [40, 0], 8: [20, 0], 9: [0, 2], 12: [0, 1] }, ['status 503']) },
      {
        cause: 'requests',
        message:
          'apps.example.com limits concurrent requests to about 8: it refused 3 of 3 requests beyond that (status 503).',
        evidence: { host: 'apps.example.com', limit: 8, refusals: ['status 503'] },
      },
    ],
    [
      'more than 8 requests a second',
      { facts: { ...load({ 1: [40, 6], 6: [2, 4] }), interval: 125 } },
      {
        cause: 'rate',
        message:
          'apps.example.com limits the rate of requests: it refused 10 of 52 requests (status 503), and answered all only when about 8 were sent a second.',
        evidence: { host: 'apps.example.com', perSecond: 8, refused: 10, refusals: ['status 503'] },
      },
    ],
    [
      'connections beyond 1',
      { facts: load({ 1: [40, 0], 2: [1, 5] }, ['ECONNRESET']) },
      { cause: 'connections', message: 'to about 1: it refused 5 of 6 requests beyond that (ECONNRESET).' },
    ],
  ],
});
