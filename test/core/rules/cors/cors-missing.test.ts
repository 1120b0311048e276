import { PROBE_ORIGIN } from '../../../../src/core/http/cors.ts';
import type { ResourceKind, Probe } from '../../../../src/core/facts/facts.ts';
import { corsMissing } from '../../../../src/core/rules/cors/cors-missing.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { acao, browser, hop, ORIGIN, probe, web } from '../../../support/probes.ts';

const facts = (response: Probe, resource: ResourceKind = 'manifest', origins: string[] = [ORIGIN]) => ({
  resource,
  web: web(probe(), { browser: [response] }),
  answer: probe(),
  origins,
});
const redirected = (first: Record<string, string>, second: Record<string, string>) =>
  browser([hop(first, { status: 302 }), hop(second, { url: 'https://cdn.test/r.json' })]);

ruleTable(corsMissing, {
  clean: [
    ['*', facts(browser(acao('*')))],
    ['the exact origin', facts(browser(acao(ORIGIN)))],
    ['another origin, which cors-origin-refused reports', facts(browser(acao('https://x.test')))],
    [
      'none for unknown origins, which cors-origin-refused reports',
      facts(browser({ vary: 'Origin' }, PROBE_ORIGIN), 'manifest', []),
    ],
    ['403 for ours, which is cors-origin-refused', facts(browser([hop({}, { status: 403 })]))],
    [
      'none for one of two, which is cors-origin-refused',
      {
        ...facts(probe(), 'manifest', [ORIGIN, 'https://two.test']),
        web: web(probe(), { browser: [browser(acao(ORIGIN)), browser({}, 'https://two.test')] }),
      },
    ],
    ['the service’s own host', facts(browser([hop({}, { url: `${ORIGIN}/registry.json` })]))],
  ],
  faulty: [
    [
      'none',
      facts(browser({})),
      { cause: 'absent', severity: 'error', advice: `Access-Control-Allow-Origin: ${ORIGIN}` },
    ],
    [
      'none, no origin configured',
      facts(browser({}, PROBE_ORIGIN), 'manifest', []),
      { cause: 'absent', severity: 'error', advice: '--origin' },
    ],
    [
      'none, for the second of two origins, where the first gets the wildcard',
      {
        ...facts(browser(acao(ORIGIN))),
        web: web(probe(), { browser: [browser(acao('*')), browser({}, 'https://two.test')] }),
        origins: [ORIGIN, 'https://two.test'],
      },
      { advice: 'Access-Control-Allow-Origin: https://two.test (with Vary: Origin)' },
    ],
    ['none on an icon', facts(browser({}), 'icon'), { severity: 'error', message: '<img>' }],
    ['none on an artifact', facts(browser({}), 'artifact'), { severity: 'note' }],
    ['none on the redirect', facts(redirected({}, acao('*'))), { cause: 'absent-on-redirect' }],
    ['none behind it', facts(redirected(acao('*'), {})), { cause: 'absent-after-redirect', message: 'cdn.test' }],
  ],
});
