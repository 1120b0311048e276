import type { Visit } from '../../../src/core/facts.ts';
import { corsPreflightRefused } from '../../../src/core/rules/cors-preflight-refused.ts';
import { ruleTable } from '../../support/rule-table.ts';
import { acao, browser, failed, hop, ORIGIN, ADDRESS, visit, web } from '../../support/visits.ts';

const options = (headers: Record<string, string>, status = 204, asked = ['x-appreg-probe']): Visit =>
  visit(hop(headers, { status }), { method: 'OPTIONS', origin: ORIGIN, asked });
const facts = (preflight: Visit, plain: Visit = browser(acao('*'))) => ({
  role: 'manifest' as const,
  url: ADDRESS,
  web: web(visit(), { browser: [plain], preflight }),
  answer: visit(),
});
const all = { 'access-control-allow-headers': '*' };

ruleTable(corsPreflightRefused, {
  clean: [
    ['any header', facts(options(acao('*', all)))],
    ['the header by name', facts(options(acao(ORIGIN, { 'access-control-allow-headers': 'A, X-Appreg-Probe' })))],
    ['any 2xx', facts(options(acao('*', all), 299))],
    ['GET needs no mention', facts(options(acao('*', { ...all, 'access-control-allow-methods': 'PUT' })))],
    ['the plain request is refused already', facts(options({}, 403), browser({}))],
    ['rate limited', facts(options({}, 429))],
    ['not asked', { role: 'manifest', url: ADDRESS, web: web(), answer: visit() }],
  ],
  faulty: [
    ['405', facts(options({}, 405)), { cause: 'status-405', once: 'manifest apps.example.com' }],
    ['a redirect', facts(options(acao('*', all), 301)), { cause: 'redirect' }],
    ['no origin allowed', facts(options(all)), { cause: 'origin' }],
    ['no headers allowed', facts(options(acao('*'))), { cause: 'header-refused' }],
    [
      'others allowed',
      facts(options(acao('*', { 'access-control-allow-headers': 'Content-Type' }))),
      { cause: 'header-refused', message: 'Content-Type' },
    ],
    [
      'no list of names',
      facts(options(acao('*', { 'access-control-allow-headers': 'header name' }))),
      { cause: 'headers-malformed' },
    ],
    [
      'no list of methods',
      facts(options(acao('*', { ...all, 'access-control-allow-methods': 'Bad name' }))),
      { cause: 'methods-malformed' },
    ],
    [
      '* covers no Authorization',
      facts(options(acao('*', all), 204, ['authorization', 'x-appreg-probe'])),
      { cause: 'header-refused', advice: '*, Authorization' },
    ],
    [
      'no answer',
      facts({ ...failed('headers', 'ECONNRESET'), origin: ORIGIN }),
      { cause: 'no-answer', message: 'ECONNRESET' },
    ],
  ],
});
