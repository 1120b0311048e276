import type { Conditional, Probe } from '../../../../src/core/facts/facts.ts';
import { notModifiedIncorrect } from '../../../../src/core/rules/caching/not-modified-incorrect.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, hop, probe, web } from '../../../support/probes.ts';

const status = (code: number): Probe => probe(hop({}, { status: code }));
const facts = (...conditional: Conditional[]) => ({
  role: 'manifest' as const,
  web: web(probe(), { conditional }),
  answer: probe(),
});
const madeUp = (answer: Probe): Conditional => ({
  condition: ['if-none-match', '"never"'],
  fabricated: true,
  probe: answer,
  sameBytes: null,
});
const earlier = (answer: Probe): Conditional => ({
  ...madeUp(answer),
  condition: ['if-modified-since', 'Fri, 20 Nov 2026 12:00:00 GMT'],
});
const issued: Conditional = {
  condition: ['if-none-match', '"a"'],
  fabricated: false,
  probe: status(304),
  sameBytes: null,
};

ruleTable(notModifiedIncorrect, {
  clean: [
    ['not asked', { role: 'manifest', web: web(), answer: probe() }],
    ['200 to a tag that was never issued, 304 to the one that was', facts(madeUp(status(200)), issued)],
    ['refused', facts(madeUp(status(412)))],
    ['no answer', facts(madeUp(failed('headers', 'ECONNRESET')))],
  ],
  faulty: [
    [
      '304 to a tag that was never issued',
      facts(madeUp(status(304)), issued),
      { cause: 'etag', message: 'never issued', evidence: { sent: 'if-none-match: "never"' } },
    ],
    ['304 for a copy older than the last change', facts(madeUp(status(200)), earlier(status(304))), { cause: 'date' }],
    ['both: said once', facts(madeUp(status(304)), earlier(status(304))), { cause: 'etag' }],
  ],
});
