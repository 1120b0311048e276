import type { Missing, Probe } from '../../../../src/core/facts/facts.ts';
import { corsPreflightRefused } from '../../../../src/core/rules/cors/cors-preflight-refused.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { acao, ADDRESS, browser, failed, hop, ORIGIN, probe, web } from '../../../support/probes.ts';

const options = (headers: Record<string, string>, status = 204, requested = ['x-appreg-probe']): Probe =>
  probe(hop(headers, { status }), { method: 'OPTIONS', origin: ORIGIN, requestedHeaders: requested });
const facts = (preflight: Probe | Missing, plain: Probe = browser(acao('*')), ...preflights: (Probe | Missing)[]) => ({
  resource: 'manifest' as const,
  web: web(probe(), { browser: [plain], preflight, preflights }),
  answer: probe(),
});
const notRequested: Missing = { missing: { code: 'not-requested', flag: null } };
const allowAllHeaders = { 'access-control-allow-headers': '*' };

ruleTable(corsPreflightRefused, {
  clean: [
    ['any header', facts(options(acao('*', allowAllHeaders)))],
    ['the header by name', facts(options(acao(ORIGIN, { 'access-control-allow-headers': 'A, X-Appreg-Probe' })))],
    ['any 2xx', facts(options(acao('*', allowAllHeaders), 299))],
    ['GET needs no mention', facts(options(acao('*', { ...allowAllHeaders, 'access-control-allow-methods': 'PUT' })))],
    ['the plain request is refused already', facts(options({}, 403), browser({}))],
    ['every request from a page is refused', facts(options({}, 403), browser([hop(acao('*'), { status: 403 })]))],
    ['rate limited', facts(options({}, 429))],
    ['no answer', facts({ ...failed('headers', 'ECONNRESET'), origin: ORIGIN })],
    ['not requested', { resource: 'manifest', web: web(), answer: probe() }],
    ['at the page’s own origin', facts(notRequested)],
    [
      'after a redirect as well',
      facts(options(acao('*', allowAllHeaders)), browser(acao('*')), options(acao('*', allowAllHeaders))),
    ],
  ],
  faulty: [
    [
      'a range that cannot be had',
      facts(options({}, 405), browser([hop(acao('*'), { status: 416 })])),
      { cause: 'status-405' },
    ],
    ['405', facts(options({}, 405)), { cause: 'status-405', dedupeKey: 'manifest apps.example.com' }],
    ['a redirect', facts(options(acao('*', allowAllHeaders), 301)), { cause: 'redirect' }],
    ['no origin allowed', facts(options(allowAllHeaders)), { cause: 'origin' }],
    ['no headers allowed', facts(options(acao('*'))), { cause: 'header-refused' }],
    [
      'others allowed',
      facts(options(acao('*', { 'access-control-allow-headers': 'Content-Type' }))),
      { cause: 'header-refused', message: 'Content-Type' },
    ],
    [
      'not a list of names',
      facts(options(acao('*', { 'access-control-allow-headers': 'header name' }))),
      { cause: 'headers-malformed' },
    ],
    [
      'not a list of methods',
      facts(options(acao('*', { ...allowAllHeaders, 'access-control-allow-methods': 'Bad name' }))),
      { cause: 'methods-malformed' },
    ],
    [
      '* covers no Authorization',
      facts(options(acao('*', allowAllHeaders), 204, ['authorization', 'x-appreg-probe'])),
      { cause: 'header-refused', advice: '*, Authorization' },
    ],
    [
      'refused after a redirect, where Origin is null',
      facts(options(acao('*', allowAllHeaders)), browser(acao('*')), {
        ...options(acao(ORIGIN, allowAllHeaders)),
        origin: 'null',
      }),
      { cause: 'origin', message: 'after a redirect', advice: 'Access-Control-Allow-Origin: *,' },
    ],
    [
      'refused after a redirect from the page’s own origin',
      facts(notRequested, browser(acao('*')), options({}, 403)),
      {},
    ],
    [
      'with Authorization as well',
      facts(options({}, 405, ['authorization', 'x-appreg-probe'])),
      { cause: 'status-405', advice: 'Access-Control-Allow-Headers: *, Authorization' },
    ],
    [
      'a malformed answer',
      facts({ ...failed('headers', 'HPE_INVALID_HEADER'), origin: ORIGIN }),
      { cause: 'not-http', message: 'HPE_INVALID_HEADER' },
    ],
    [
      'no response',
      {
        resource: 'manifest',
        web: web(probe(), {
          browser: [browser(acao('*'))],
          preflight: { ...failed('time', 'TOTAL_TIMEOUT'), origin: ORIGIN },
          repeatedProbes: [{ of: 'preflight', url: ADDRESS, plain: [200, 200], same: [0, 0] }],
        }),
        answer: probe(),
      },
      { cause: 'no-answer', message: 'no response arrives in time' },
    ],
  ],
});
