import type { Conditional, Probe } from '../../../../src/core/facts/facts.ts';
import { conditionalRequestRejected } from '../../../../src/core/rules/caching/conditional-request-rejected.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, hop, ORIGIN, probe, web } from '../../../support/probes.ts';

const status = (code: number, more: Partial<Probe> = {}): Probe => probe(hop({}, { status: code }), more);
const FIRST_RESPONSE = probe(hop({ etag: '"a"' }));
const facts = (
  answer: Probe,
  condition: Conditional['condition'] = ['if-none-match', '"a"'],
  given = FIRST_RESPONSE,
) => ({
  resource: 'manifest' as const,
  web: web(given, { conditional: [{ condition, fabricated: false, probe: answer, sameBytes: null }] }),
  answer: given,
});

ruleTable(conditionalRequestRejected, {
  clean: [
    ['not requested', { resource: 'manifest', web: web(), answer: probe() }],
    ['304', facts(status(304))],
    ['200', facts(status(200))],
    ['broken off', facts(failed('headers', 'ECONNRESET'))],
    ['too many requests', facts(status(429))],
    ['no entity tag was sent', facts(status(412), ['if-none-match', '"a"'], probe())],
    ['a stranger is refused', facts(status(403, { origin: ORIGIN }))],
  ],
  faulty: [
    ['412', facts(status(412)), { cause: 'status-412', message: 'If-None-Match gets status 412' }],
    [
      '500 to a date',
      facts(status(500), ['if-modified-since', 'Fri, 20 Nov 2026 12:00:00 GMT']),
      { cause: 'status-500', message: 'If-Modified-Since' },
    ],
    ['malformed', facts(failed('headers', 'HPE_INVALID_HEADER')), { cause: 'failed', message: 'HPE_INVALID_HEADER' }],
  ],
});
