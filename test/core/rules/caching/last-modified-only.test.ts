import type { ResourceKind } from '../../../../src/core/facts/facts.ts';
import { lastModifiedOnly } from '../../../../src/core/rules/caching/last-modified-only.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe, web } from '../../../support/probes.ts';

const DATE = 'Fri, 20 Nov 2026 12:00:00 GMT';
const facts = (headers: Record<string, string>, resource: ResourceKind = 'manifest') => {
  const answer = probe(hop(headers));
  return { resource, web: web(answer), answer };
};

ruleTable(lastModifiedOnly, {
  clean: [
    ['both', facts({ 'last-modified': DATE, etag: 'W/"a"' })],
    ['an ETag alone', facts({ etag: '"a"' })],
    ['neither: each check takes the whole file', facts({})],
    ['no date', facts({ 'last-modified': 'yesterday' })],
    ['an icon', facts({ 'last-modified': DATE }, 'icon')],
  ],
  faulty: [['the date alone', facts({ 'last-modified': DATE }), { message: 'Last-Modified only' }]],
});
