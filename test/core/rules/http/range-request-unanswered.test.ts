import { rangeRequestUnanswered } from '../../../../src/core/rules/http/range-request-unanswered.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { ADDRESS, probe, web } from '../../../support/probes.ts';

const facts = (plain: number[], same: number[], of: 'range' | 'HEAD' = 'range') => ({
  resource: 'artifact' as const,
  web: web(probe(), { repeatedProbes: [{ of, url: ADDRESS, plain, same }] }),
  answer: probe(),
});

ruleTable(rangeRequestUnanswered, {
  clean: [
    ['not repeated', { resource: 'artifact', web: web(), answer: probe() }],
    ['answered when repeated', facts([200, 200], [0, 206])],
    ['plain requests are not answered either', facts([200, 0], [0, 0])],
    ['another request', facts([200, 200], [0, 0], 'HEAD')],
  ],
  faulty: [
    [
      'never answered',
      facts([200, 200], [0, 0]),
      { message: 'does not answer GET requests with a Range for the artifact' },
    ],
  ],
});
