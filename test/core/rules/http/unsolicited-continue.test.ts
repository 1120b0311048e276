import { unsolicitedContinue } from '../../../../src/core/rules/http/unsolicited-continue.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, visit, web } from '../../../support/visits.ts';

ruleTable(unsolicitedContinue, {
  clean: [['an answer at once', { web: web(visit(hop())) }]],
  faulty: [
    [
      '100 Continue first',
      { web: web(visit(hop({}, { unsolicitedContinue: true }))) },
      { dedupeKey: 'apps.example.com' },
    ],
    [
      'on the way there',
      { web: web(visit([hop({}, { status: 302, unsolicitedContinue: true }), hop()])) },
      { message: '100' },
    ],
  ],
});
