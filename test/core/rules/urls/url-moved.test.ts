import type { ResourceKind } from '../../../../src/core/facts/facts.ts';
import { urlMoved } from '../../../../src/core/rules/urls/url-moved.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { ADDRESS, hop, probe, web } from '../../../support/probes.ts';

const at = (status: number, url: string) => hop({}, { status, url });
const facts = (hops: ReturnType<typeof hop>[], role: ResourceKind = 'manifest') => {
  const answer = probe(hops);
  return { role, web: web(answer), answer };
};
const B = 'https://b.test/r.json';
const C = 'https://c.test/r.json';

ruleTable(urlMoved, {
  clean: [
    ['no redirect', facts([hop()])],
    ['for the time being', facts([at(302, ADDRESS), at(307, B), at(200, C)])],
    ['for good behind one for the time being', facts([at(302, ADDRESS), at(301, B), at(200, C)])],
    ['an artifact: its URL is published', facts([at(301, ADDRESS), at(200, B)], 'artifact')],
  ],
  faulty: [
    ['301', facts([at(301, ADDRESS), at(200, B)]), { severity: 'warning', message: B, advice: `Subscribe to ${B}` }],
    ['308, then 301', facts([at(308, ADDRESS), at(301, B), at(200, C)]), { message: C }],
    ['301, then 302: as far as it is for good', facts([at(301, ADDRESS), at(302, B), at(200, C)]), { message: B }],
    ['metadata', facts([at(301, ADDRESS), at(200, B)], 'metadata'), { severity: 'note', advice: `List ${B}` }],
  ],
});
