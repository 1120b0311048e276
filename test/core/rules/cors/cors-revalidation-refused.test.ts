import { corsRevalidationRefused } from '../../../../src/core/rules/cors/cors-revalidation-refused.ts';
import { resourceFacts } from '../../../support/copies.ts';
import { invalidCorsRows } from '../../../support/cors-values.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { acao, browser, hop, ORIGIN } from '../../../support/probes.ts';

const ALLOW = 'access-control-allow-origin';
const facts = (fresh: Record<string, string> | [string, string][], stored = acao('*'), status = 304) =>
  resourceFacts({
    browser: [browser(stored)],
    revalidation: { condition: ['if-none-match', '"a"'], probe: browser([hop(fresh, { status })]) },
  });

// What Chromium does with each of these is in test/browser/revalidation.test.ts.
ruleTable(corsRevalidationRefused, {
  clean: [
    ['not requested', resourceFacts({ browser: [browser(acao('*'))] })],
    ['none', facts({})],
    ['the same', facts(acao('*'))],
    ['this origin', facts(acao(ORIGIN))],
    ['a whole answer', facts({}, acao('*'), 200)],
    ['refused from the first', facts(acao('null'), acao('null'))],
  ],
  faulty: [
    ...invalidCorsRows(facts),
    ['another origin', facts(acao('https://other.test')), { cause: 'other-origin' }],
    ['null', facts(acao('null')), { cause: 'null' }],
    ['empty', facts(acao('')), { cause: 'empty', message: 'with an empty Access-Control-Allow-Origin, which' }],
    [
      'two',
      facts([
        [ALLOW, '*'],
        [ALLOW, '*'],
      ]),
      { cause: 'two-headers' },
    ],
  ],
});
