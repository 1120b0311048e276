import { corsInvalid } from '../../../../src/core/rules/cors/cors-invalid.ts';
import { invalidCorsRows } from '../../../support/cors-values.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { acao, browser, ORIGIN, probe, web } from '../../../support/probes.ts';

const facts = (headers: Record<string, string> | [string, string][], origins: string[] = [ORIGIN]) => ({
  resource: 'icon' as const,
  web: web(probe(), { browser: [browser(headers)] }),
  answer: probe(),
  origins,
});
const name = 'access-control-allow-origin';

ruleTable(corsInvalid, {
  clean: [
    ['*', facts(acao('*'))],
    ['padded', facts(acao('\t* '))],
    ['the exact origin', facts(acao(ORIGIN))],
    ['another origin', facts(acao('https://other.test'))],
    ['none', facts({})],
    ['“null” by Origin, no origin configured', facts(acao('null', { vary: 'Origin' }), [])],
    ['an unset variable by Origin, no origin configured', facts(acao('(null)', { vary: 'Origin' }), [])],
  ],
  faulty: [
    ...invalidCorsRows(facts),
    [
      'two headers',
      facts([
        [name, '*'],
        [name, '*'],
      ]),
      { cause: 'two-headers' },
    ],
    ['a list', facts(acao(`${ORIGIN}, *`)), { cause: 'list' }],
    [
      'a trailing slash',
      facts(acao(`${ORIGIN}/`)),
      { cause: 'trailing-slash', advice: `Access-Control-Allow-Origin: ${ORIGIN}` },
    ],
    [
      'a trailing slash, no origin configured',
      facts(acao('https://flows.example.com/'), []),
      { cause: 'trailing-slash', advice: 'Access-Control-Allow-Origin: https://flows.example.com' },
    ],
    ['another scheme', facts(acao('http://svc.test')), { cause: 'wrong-scheme' }],
    ['another port', facts(acao('https://svc.test:8443')), { cause: 'wrong-port' }],
    ['the default port', facts(acao('https://svc.test:443')), { cause: 'default-port' }],
    ['upper case', facts(acao('HTTPS://SVC.TEST')), { cause: 'upper-case' }],
    ['null', facts(acao('null')), { cause: 'null' }],
    ['null by Origin, requested with our origin', facts(acao('null', { vary: 'Origin' })), { cause: 'null' }],
    ['null without Vary', facts(acao('null'), []), { cause: 'null' }],
    ['a slash too many by Origin', facts(acao('https://a.test/', { vary: 'Origin' }), []), { cause: 'trailing-slash' }],
    ['Apache’s unset variable', facts(acao('(null)')), { cause: 'unset-variable' }],
    ['nothing', facts(acao('')), { cause: 'empty' }],
    ['a wildcard within', facts(acao('https://*.test')), { cause: 'partial-wildcard' }],
    ['a quoted wildcard', facts(acao('"*"')), { cause: 'misspelled-wildcard' }],
    ['no scheme', facts(acao('svc.test')), { cause: 'no-scheme' }],
    ['a page', facts(acao(`${ORIGIN}/page`)), { cause: 'full-url' }],
  ],
});
