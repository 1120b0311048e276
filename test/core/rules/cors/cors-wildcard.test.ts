import { PROBE_ORIGIN } from '../../../../src/core/http/cors.ts';
import { corsWildcard } from '../../../../src/core/rules/cors/cors-wildcard.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { acao, browser, ORIGIN, probe, web } from '../../../support/probes.ts';

const facts = (headers: Record<string, string>, origin = ORIGIN) => ({
  resource: 'manifest' as const,
  web: web(probe(), { browser: [browser(headers, origin)] }),
  answer: probe(),
});

ruleTable(corsWildcard, {
  clean: [
    ['one origin', facts(acao(ORIGIN))],
    ['one origin with credentials', facts(acao(ORIGIN, { 'access-control-allow-credentials': 'true' }))],
    ['none', facts({})],
  ],
  faulty: [
    ['*', facts(acao('*')), { cause: 'star', dedupeKey: 'apps.example.com' }],
    ['the user of this check', facts(acao(PROBE_ORIGIN), PROBE_ORIGIN), { cause: 'echo' }],
    [
      'the user of this check, with credentials',
      facts(acao(PROBE_ORIGIN, { 'access-control-allow-credentials': 'true' }), PROBE_ORIGIN),
      { cause: 'echo-with-credentials', severity: 'warning' },
    ],
  ],
});
