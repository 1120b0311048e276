import type { Role } from '../../../src/core/facts.ts';
import { iconEmbeddingRefused } from '../../../src/core/rules/icon-embedding-refused.ts';
import { ruleTable } from '../../support/rule-table.ts';
import { hop, visit, web } from '../../support/visits.ts';

const facts = (policy: string | null, origins: string[] = [], role: Role = 'icon') => {
  const answer = visit(hop(policy === null ? {} : { 'cross-origin-resource-policy': policy }));
  return { role, web: web(answer), answer, origins };
};

ruleTable(iconEmbeddingRefused, {
  clean: [
    ['no policy', facts(null)],
    ['cross-origin', facts('cross-origin')],
    ['no policy at all by that name', facts('same-orgin')],
    ['same-site, at the same site', facts('same-site', ['https://flows.example.com'])],
    ['same-origin, at the same origin', facts('same-origin', ['https://apps.example.com'])],
    ['not an icon', facts('same-origin', [], 'manifest')],
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
