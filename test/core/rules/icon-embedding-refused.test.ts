import { iconEmbeddingRefused } from '../../../src/core/rules/icon-embedding-refused.ts';
import { ruleTable } from '../../support/rule-table.ts';
import { hop, visit } from '../../support/visits.ts';

const facts = (policy: string | null, origins: string[] = []) => {
  const answer = visit(hop(policy === null ? {} : { 'cross-origin-resource-policy': policy }));
  return { answer, origins };
};

ruleTable(iconEmbeddingRefused, {
  clean: [
    ['no policy', facts(null)],
    ['cross-origin', facts('cross-origin')],
    ['no policy at all by that name', facts('same-orgin')],
    ['same-site, at the same site', facts('same-site', ['https://flows.example.com'])],
    ['same-origin, at the same origin', facts('same-origin', ['https://apps.example.com'])],
  ],
  faulty: [
    ['same-origin', facts('same-origin'), { cause: 'same-origin', severity: 'error' }],
    [
      'same-origin, next door',
      facts('same-origin', ['https://flows.example.com']),
      { message: 'https://flows.example.com' },
    ],
    ['same-site, elsewhere', facts('same-site', ['https://svc.test']), { cause: 'same-site', severity: 'error' }],
    ['same-site, who knows', facts('same-site'), { severity: 'warning' }],
  ],
});
