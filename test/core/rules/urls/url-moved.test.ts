import type { ResourceKind } from '../../../../src/core/facts/facts.ts';
import { urlMoved } from '../../../../src/core/rules/urls/url-moved.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { ADDRESS, hop, probe, web } from '../../../support/probes.ts';

const hopTo = (status: number, url: string) => hop({}, { status, url });
const facts = (hops: ReturnType<typeof hop>[], resource: ResourceKind = 'manifest') => {
  const answer = probe(hops);
  return { resource, web: web(answer), answer };
};
const SECOND_URL = 'https://b.test/r.json';
const THIRD_URL = 'https://c.test/r.json';

ruleTable(urlMoved, {
  clean: [
    ['no redirect', facts([hop()])],
    ['a temporary redirect', facts([hopTo(302, ADDRESS), hopTo(307, SECOND_URL), hopTo(200, THIRD_URL)])],
    [
      'a permanent redirect after a temporary one',
      facts([hopTo(302, ADDRESS), hopTo(301, SECOND_URL), hopTo(200, THIRD_URL)]),
    ],
    ['an artifact: its URL is published', facts([hopTo(301, ADDRESS), hopTo(200, SECOND_URL)], 'artifact')],
  ],
  faulty: [
    [
      '301',
      facts([hopTo(301, ADDRESS), hopTo(200, SECOND_URL)]),
      { severity: 'warning', message: SECOND_URL, advice: `Subscribe to ${SECOND_URL}` },
    ],
    [
      '308, then 301',
      facts([hopTo(308, ADDRESS), hopTo(301, SECOND_URL), hopTo(200, THIRD_URL)]),
      { message: THIRD_URL },
    ],
    [
      '301, then 302: up to the last permanent redirect',
      facts([hopTo(301, ADDRESS), hopTo(302, SECOND_URL), hopTo(200, THIRD_URL)]),
      { message: SECOND_URL },
    ],
    [
      'metadata',
      facts([hopTo(301, ADDRESS), hopTo(200, SECOND_URL)], 'metadata'),
      { severity: 'note', advice: `List ${SECOND_URL}` },
    ],
  ],
});
