import type { Conditional, Probe } from '../../../../src/core/facts/facts.ts';
import { notModifiedIncorrect } from '../../../../src/core/rules/caching/not-modified-incorrect.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, hop, probe, web } from '../../../support/probes.ts';

const status = (code: number): Probe => probe(hop({}, { status: code }));
const facts = (...conditional: Conditional[]) => ({
  resource: 'manifest' as const,
  web: web(probe(), { conditional }),
  answer: probe(),
});
const withFabricatedEtag = (answer: Probe): Conditional => ({
  condition: ['if-none-match', '"never"'],
  fabricated: true,
  probe: answer,
  sameBytes: null,
});
const withEarlierDate = (answer: Probe): Conditional => ({
  ...withFabricatedEtag(answer),
  condition: ['if-modified-since', 'Fri, 20 Nov 2026 12:00:00 GMT'],
});
const REPEATED_ETAG: Conditional = {
  condition: ['if-none-match', '"a"'],
  fabricated: false,
  probe: status(304),
  sameBytes: null,
};

ruleTable(notModifiedIncorrect, {
  clean: [
    ['not requested', { resource: 'manifest', web: web(), answer: probe() }],
    [
      '200 to a tag that was never issued, 304 to the one that was',
      facts(withFabricatedEtag(status(200)), REPEATED_ETAG),
    ],
    ['refused', facts(withFabricatedEtag(status(412)))],
    ['no answer', facts(withFabricatedEtag(failed('headers', 'ECONNRESET')))],
  ],
  faulty: [
    [
      '304 to a tag that was never issued',
      facts(withFabricatedEtag(status(304)), REPEATED_ETAG),
      { cause: 'etag', message: 'never issued', evidence: { sent: 'if-none-match: "never"' } },
    ],
    [
      '304 for a copy older than the last change',
      facts(withFabricatedEtag(status(200)), withEarlierDate(status(304))),
      { cause: 'date' },
    ],
    ['both: reported once', facts(withFabricatedEtag(status(304)), withEarlierDate(status(304))), { cause: 'etag' }],
  ],
});
