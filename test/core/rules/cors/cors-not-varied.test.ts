import { corsNotVaried } from '../../../../src/core/rules/cors/cors-not-varied.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { acao, browser, hop, NOW, ORIGIN, probe, web } from '../../../support/probes.ts';

const facts = (plain: Record<string, string>, withOrigin: Record<string, string>) => {
  const answer = probe(hop(plain));
  return { resource: 'manifest' as const, web: web(answer, { browser: [browser(withOrigin)] }), answer, now: NOW };
};
const vary = { vary: 'Accept-Encoding, origin' };

ruleTable(corsNotVaried, {
  clean: [
    ['the same always', facts(acao('*'), acao('*'))],
    ['one origin always', facts(acao(ORIGIN), acao(ORIGIN))],
    ['echoed, varied', facts(vary, acao(ORIGIN, vary))],
    ['Vary: *', facts({ vary: '*' }, acao(ORIGIN, { vary: '*' }))],
    ['never stored', facts({ 'cache-control': 'no-store' }, acao(ORIGIN, { 'cache-control': 'no-store' }))],
    ['refused anyway', facts(acao('*'), {})],
  ],
  faulty: [
    ['only with Origin', facts({}, acao('*')), { cause: 'only-with-origin' }],
    ['another value', facts(acao('*'), acao(ORIGIN)), { cause: 'differs' }],
    ['varied by another header', facts({}, acao(ORIGIN, { vary: 'Accept' })), { cause: 'only-with-origin' }],
    ['varied only with Origin', facts({}, acao(ORIGIN, vary)), { cause: 'vary-only-with-origin', severity: 'note' }],
    [
      'varied only with Origin, and reused without revalidation',
      facts({ 'cache-control': 'public, max-age=300' }, acao(ORIGIN, vary)),
      { cause: 'vary-only-with-origin', severity: 'warning' },
    ],
    [
      'the same by the date of the last change',
      facts({ 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' }, acao(ORIGIN, vary)),
      { cause: 'vary-only-with-origin', severity: 'warning' },
    ],
    [
      'varied only with Origin, and requested each time',
      facts({ 'cache-control': 'no-cache' }, acao(ORIGIN, vary)),
      { cause: 'vary-only-with-origin', severity: 'note' },
    ],
  ],
});
