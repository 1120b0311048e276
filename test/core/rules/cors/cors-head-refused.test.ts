import { corsHeadRefused } from '../../../../src/core/rules/cors/cors-head-refused.ts';
import type { Probe } from '../../../../src/core/facts/facts.ts';
import { resourceFacts } from '../../../support/copies.ts';
import { invalidCorsRows } from '../../../support/cors-values.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { acao, browser, hop, ORIGIN, probe } from '../../../support/probes.ts';

const ALLOW = 'access-control-allow-origin';
const head = (headers: Record<string, string> | [string, string][], status = 200): Probe => ({
  ...browser([hop(headers, { status })]),
  method: 'HEAD',
});
const options = (headers: Record<string, string>, status = 204): Probe => ({
  ...browser([hop({ 'access-control-allow-headers': '*', ...headers }, { status })]),
  method: 'OPTIONS',
  requestedHeaders: ['x-appreg-probe'],
});
const allowed = { browser: [browser(acao('*'))], head: head(acao('*')), preflight: options(acao('*')) };

ruleTable(corsHeadRefused, {
  clean: [
    ['as GET', resourceFacts(allowed)],
    ['not requested', resourceFacts({ browser: [browser(acao('*'))] })],
    ['GET is refused too', resourceFacts({ ...allowed, browser: [browser({})], head: head({}) })],
    ['HEAD is refused altogether', resourceFacts({ ...allowed, head: head({}, 405) })],
    [
      'both methods',
      resourceFacts({ ...allowed, preflight: options(acao('*', { 'access-control-allow-methods': 'GET, HEAD' })) }),
    ],
    [
      'any method',
      resourceFacts({ ...allowed, preflight: options(acao('*', { 'access-control-allow-methods': '*' })) }),
    ],
    [
      'no preflight passes',
      resourceFacts({ ...allowed, preflight: options({}, 403), headPreflight: options({}, 403) }),
    ],
    ['not requested as a page', resourceFacts({ head: head({}), browser: [] }, probe())],
  ],
  faulty: [
    ...invalidCorsRows((headers) => resourceFacts({ ...allowed, head: head(headers) })),
    [
      'another origin after a redirect to another host',
      resourceFacts({
        ...allowed,
        head: {
          ...browser([
            hop(acao('*', { location: 'https://b.test/x' }), { status: 302 }),
            hop(acao(ORIGIN), { url: 'https://b.test/x' }),
          ]),
          method: 'HEAD',
        },
      }),
      { cause: 'redirect-null-origin' },
    ],
    ['without it', resourceFacts({ ...allowed, head: head({}) }), { cause: 'absent' }],
    [
      'twice',
      resourceFacts({
        ...allowed,
        head: head([
          [ALLOW, '*'],
          [ALLOW, '*'],
        ]),
      }),
      { cause: 'two-headers' },
    ],
    ['another one', resourceFacts({ ...allowed, head: head(acao('https://other.test')) }), { cause: 'other-origin' }],
    ['its preflight', resourceFacts({ ...allowed, headPreflight: options({}, 403) }), { cause: 'preflight-status' }],
    [
      'not among the methods',
      resourceFacts({ ...allowed, preflight: options(acao('*', { 'access-control-allow-methods': 'GET, OPTIONS' })) }),
      { cause: 'not-listed', severity: 'note' },
    ],
  ],
});
