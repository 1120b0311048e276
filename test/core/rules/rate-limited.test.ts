import { rateLimited } from '../../../src/core/rules/rate-limited.ts';
import { ruleTable } from '../../support/rule-table.ts';
import { hop, ADDRESS, visit, web } from '../../support/visits.ts';

ruleTable(rateLimited, {
  clean: [
    ['at once', { role: 'icon', url: ADDRESS, web: web() }],
    [
      'retried, but not asked to wait',
      { role: 'icon', url: ADDRESS, web: web(visit(hop(), { attempts: 2, troubles: ['ECONNRESET'] })) },
    ],
  ],
  faulty: [
    [
      'waited',
      { role: 'icon', url: ADDRESS, web: web(visit(hop(), { attempts: 2, waited: 2000, troubles: ['status 429'] })) },
      { message: '2 s', once: 'apps.example.com' },
    ],
    [
      'waited on the side',
      { role: 'icon', url: ADDRESS, web: web(visit(), { head: visit(hop(), { waited: 1000 }) }) },
      { message: '1 s' },
    ],
  ],
});
