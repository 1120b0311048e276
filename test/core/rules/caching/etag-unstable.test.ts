import type { Conditional } from '../../../../src/core/facts/facts.ts';
import { etagUnstable } from '../../../../src/core/rules/caching/etag-unstable.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe, web } from '../../../support/probes.ts';

const firstResponse = probe(hop({ etag: '"a"' }));
const conditionalResponse = (then: Record<string, string>, more: Partial<Conditional> = {}) => ({
  resource: 'metadata' as const,
  web: web(firstResponse, {
    conditional: [
      { condition: ['if-none-match', '"a"'], fabricated: false, probe: probe(hop(then)), sameBytes: true, ...more },
    ],
  }),
  answer: firstResponse,
});

ruleTable(etagUnstable, {
  clean: [
    ['not requested', { resource: 'metadata', web: web(firstResponse), answer: firstResponse }],
    ['not modified', conditionalResponse({}, { probe: probe(hop({}, { status: 304 })), sameBytes: null })],
    ['the condition is not looked at', conditionalResponse({ etag: '"a"' }, { sameBytes: null })],
    ['another one for other bytes', conditionalResponse({ etag: '"b"' }, { sameBytes: false })],
    ['weak now, strong before', conditionalResponse({ etag: 'W/"a"' })],
    ['none the second time', conditionalResponse({})],
    ['a question with a made-up tag', conditionalResponse({ etag: '"b"' }, { fabricated: true })],
    [
      'behind a redirect that leads elsewhere each time',
      conditionalResponse({}, { probe: probe(hop({ etag: '"b"' }, { url: 'https://b.test/r.json' })) }),
    ],
  ],
  faulty: [
    [
      'another one for the same bytes',
      conditionalResponse({ etag: '"b"' }),
      { message: '"a", then "b"', evidence: { first: '"a"', second: '"b"' } },
    ],
    ['a weak one', conditionalResponse({ etag: 'W/"b"' }), { message: 'a different ETag' }],
  ],
});
