import { iconEmbeddingRefused } from '../../../../src/core/rules/icons/icon-embedding-refused.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe, web } from '../../../support/probes.ts';

const facts = (policy: string | null, origins: string[] = []) => {
  const answer = probe(hop(policy === null ? {} : { 'cross-origin-resource-policy': policy }));
  return { answer, web: web(answer), origins };
};
/** Hops, each with its policy. */
const redirectsWithPolicies = (hops: string, origins: string[]) => {
  const list = hops.split(', ').map((text) => text.split(' ') as [string, string]);
  const answer = probe(list.map(([url, policy]) => hop({ 'cross-origin-resource-policy': policy }, { url })));
  return { answer, web: web(answer), origins };
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
      'same-origin, on the same site',
      facts('same-origin', ['https://flows.example.com']),
      { message: 'https://flows.example.com' },
    ],
    ['same-site, elsewhere', facts('same-site', ['https://svc.test']), { cause: 'same-site', severity: 'error' }],
    [
      'same-site by the numbers of an address',
      redirectsWithPolicies('http://10.0.0.1/a.svg same-site', ['http://192.168.0.1']),
      { cause: 'same-site' },
    ],
    [
      'a policy that holds, and behind it one that does not',
      redirectsWithPolicies('https://a.svc.test/a.svg same-site, https://b.test/a.svg same-origin', [
        'https://svc.test',
      ]),
      { cause: 'same-origin', message: 'b.test' },
    ],
    [
      'two policies, one of which may refuse it',
      redirectsWithPolicies('https://a.svc.test/a.svg same-site, https://b.test/a.svg same-origin', []),
      [
        { cause: 'same-site', severity: 'warning' },
        { cause: 'same-origin', severity: 'error' },
      ],
    ],
    ['same-site, without a known origin', facts('same-site'), { severity: 'warning' }],
  ],
});
