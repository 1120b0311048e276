import type { Conditional } from '../../../../src/core/facts/facts.ts';
import { etagUnstable } from '../../../../src/core/rules/caching/etag-unstable.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe, web } from '../../../support/probes.ts';

const first = probe(hop({ etag: '"a"' }));
const asked = (then: Record<string, string>, more: Partial<Conditional> = {}) => ({
  role: 'metadata' as const,
  web: web(first, {
    conditional: [
      { condition: ['if-none-match', '"a"'], fabricated: false, probe: probe(hop(then)), sameBytes: true, ...more },
    ],
  }),
  answer: first,
});

ruleTable(etagUnstable, {
  clean: [
    ['not asked', { role: 'metadata', web: web(first), answer: first }],
    ['not modified', asked({}, { probe: probe(hop({}, { status: 304 })), sameBytes: null })],
    ['the condition is not looked at', asked({ etag: '"a"' }, { sameBytes: null })],
    ['another one for other bytes', asked({ etag: '"b"' }, { sameBytes: false })],
    ['weak now, strong before', asked({ etag: 'W/"a"' })],
    ['none the second time', asked({})],
    ['a question with a made-up tag', asked({ etag: '"b"' }, { fabricated: true })],
    [
      'behind a redirect that leads elsewhere each time',
      asked({}, { probe: probe(hop({ etag: '"b"' }, { url: 'https://b.test/r.json' })) }),
    ],
  ],
  faulty: [
    [
      'another one for the same bytes',
      asked({ etag: '"b"' }),
      { message: '"a", then "b"', evidence: { first: '"a"', second: '"b"' } },
    ],
    ['a weak one', asked({ etag: 'W/"b"' }), { message: 'a different ETag' }],
  ],
});
