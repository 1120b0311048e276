import { rateLimited } from '../../../../src/core/rules/http/rate-limited.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, ADDRESS, probe, web } from '../../../support/probes.ts';

ruleTable(rateLimited, {
  clean: [
    ['at once', { resource: 'icon', url: ADDRESS, web: web() }],
    [
      'retried, but without Retry-After',
      { resource: 'icon', url: ADDRESS, web: web(probe(hop(), { attempts: 2, retriedErrors: ['ECONNRESET'] })) },
    ],
  ],
  faulty: [
    [
      'waited',
      {
        resource: 'icon',
        url: ADDRESS,
        web: web(probe(hop(), { attempts: 2, retryAfterMs: 2000, retriedErrors: ['status 429'] })),
      },
      { message: '2 s', dedupeKey: 'apps.example.com' },
    ],
    [
      'waited on the side',
      { resource: 'icon', url: ADDRESS, web: web(probe(), { head: probe(hop(), { retryAfterMs: 1000 }) }) },
      { message: '1 s' },
    ],
  ],
});
