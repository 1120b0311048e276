import { PROBE_ORIGIN } from '../../../../src/core/http/cors.ts';
import type { Probe } from '../../../../src/core/facts/facts.ts';
import { corsOriginRefused } from '../../../../src/core/rules/cors/cors-origin-refused.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { acao, browser, failed, hop, ORIGIN, probe, web } from '../../../support/probes.ts';

const facts = (responses: Probe | Probe[], origins: string[] = [ORIGIN]) => ({
  resource: 'manifest' as const,
  web: web(probe(), { browser: [responses].flat() }),
  answer: probe(),
  origins,
});
const redirectedWithOrigin = (value: string) =>
  browser([hop(acao('*'), { status: 302 }), hop(acao(value), { url: 'https://cdn.test/r.json' })]);

ruleTable(corsOriginRefused, {
  clean: [
    ['the exact origin', facts(browser(acao(ORIGIN)))],
    ['any origin', facts(browser(acao('*')))],
    ['moved, any origin', facts(redirectedWithOrigin('*'))],
    ['none, which is cors-missing', facts(browser({}))],
    ['503, which does not depend on the origin', facts(browser([hop({}, { status: 503 })]))],
    [
      'a part of an artifact that broke off',
      { ...facts(failed('body', 'SOCKET_CLOSED')), resource: 'artifact' as const },
    ],
    ['416 to a range', facts(browser([hop(acao('*'), { status: 416 })]))],
  ],
  faulty: [
    [
      'another one',
      facts(browser(acao('https://other.test'))),
      { cause: 'other-origin', message: 'https://other.test', advice: `Access-Control-Allow-Origin: ${ORIGIN}` },
    ],
    [
      'another one, no origin configured',
      facts(browser(acao('https://other.test'), PROBE_ORIGIN), []),
      { cause: 'other-origin', severity: 'warning', advice: '--origin https://other.test' },
    ],
    [
      'by Origin, no origin configured',
      facts(browser({ vary: 'Accept, ORIGIN' }, PROBE_ORIGIN), []),
      { cause: 'origins-unknown', severity: 'warning' },
    ],
    [
      'moved to a host that wants the exact origin',
      facts(redirectedWithOrigin(ORIGIN)),
      { cause: 'redirect-null-origin', message: 'Origin: null', advice: 'Never allow "null"' },
    ],
    [
      '“null” by Origin, no origin configured',
      facts(browser(acao('null', { vary: 'Origin' }), PROBE_ORIGIN), []),
      { cause: 'origins-unknown', severity: 'warning' },
    ],
    ['no answer', facts({ ...failed('headers', 'ECONNRESET'), origin: ORIGIN }), { cause: 'no-answer' }],
    ['403', facts(browser([hop({}, { status: 403 })])), { cause: 'status-403', severity: 'error' }],
    [
      'one of two',
      facts([browser(acao(ORIGIN)), browser(acao(ORIGIN), 'https://two.test')], [ORIGIN, 'https://two.test']),
      [{ message: 'https://two.test' }],
    ],
    [
      'one of two without the header',
      facts(
        [browser(acao(ORIGIN, { vary: 'Origin' })), browser({ vary: 'Origin' }, 'https://two.test')],
        [ORIGIN, 'https://two.test'],
      ),
      [
        {
          cause: 'other-origin',
          message: `allows pages of ${ORIGIN} to read the manifest, not pages of https://two.test`,
          advice: 'https://two.test with Vary',
        },
      ],
    ],
    [
      'a setting of the host is reported once for each kind of file',
      facts(browser(acao('https://other.test'))),
      {
        dedupeKey: `manifest apps.example.com allows only pages of https://other.test to read the manifest, not pages of ${ORIGIN}.`,
      },
    ],
  ],
});
