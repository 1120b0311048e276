import { unsolicitedContinue } from '../../../../src/core/rules/http/unsolicited-continue.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe, web } from '../../../support/probes.ts';

ruleTable(unsolicitedContinue, {
  clean: [['an answer at once', { web: web(probe(hop())) }]],
  faulty: [
    [
      '100 Continue first',
      { web: web(probe(hop({}, { unsolicitedContinue: true }))) },
      { dedupeKey: 'apps.example.com' },
    ],
    [
      'on the way there',
      { web: web(probe([hop({}, { status: 302, unsolicitedContinue: true }), hop()])) },
      { message: '100' },
    ],
  ],
});
