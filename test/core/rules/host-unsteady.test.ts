import { hostUnsteady } from '../../../src/core/rules/host-unsteady.ts';
import { ruleTable } from '../../support/rule-table.ts';
import { failed, hop, ADDRESS, visit, web } from '../../support/visits.ts';

ruleTable(hostUnsteady, {
  clean: [
    ['at once', { role: 'icon', url: ADDRESS, web: web() }],
    ['waited as asked', { role: 'icon', url: ADDRESS, web: web(visit(hop(), { attempts: 2, waited: 1000 })) }],
    ['never', { role: 'icon', url: ADDRESS, web: web({ ...failed('headers', 'ECONNRESET'), attempts: 3 }) }],
  ],
  faulty: [
    [
      'second attempt',
      { role: 'icon', url: ADDRESS, web: web(visit(hop(), { attempts: 2, troubles: ['ECONNRESET'] })) },
      { message: 'second attempt; before: ECONNRESET' },
    ],
    [
      'third attempt',
      { role: 'icon', url: ADDRESS, web: web(visit(hop(), { attempts: 3, troubles: ['status 502', 'status 502'] })) },
      { message: 'third' },
    ],
    [
      'a limit without a time to wait',
      { role: 'icon', url: ADDRESS, web: web(visit(hop(), { attempts: 2, troubles: ['status 429'] })) },
      { advice: 'raise the limit' },
    ],
  ],
});
