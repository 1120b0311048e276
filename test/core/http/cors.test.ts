import { describe, expect, test } from 'vitest';
import { corsCheck, corsFault, hopOrigins, isOrigin } from '../../../src/core/http/cors.ts';
import { preflightFault } from '../../../src/core/http/preflight.ts';
import type { Hop } from '../../../src/core/facts/facts.ts';
import { hop, probe } from '../../support/probes.ts';

const ORIGIN = 'https://svc.test';
const name = 'access-control-allow-origin';

describe('the CORS check', () => {
  test.each(['*', ' *  ', '\t*', ORIGIN, `  ${ORIGIN}`, `${ORIGIN}\t `])(
    'accepts Access-Control-Allow-Origin: %j',
    (value) => {
      expect(corsCheck(ORIGIN, [[name, value]])).toBeNull();
    },
  );

  test.each<[string, string]>([
    ['https://www.svc.test', 'refused'],
    ['https://test', 'refused'],
    ['https://other.example', 'refused'],
    ['//svc.test', 'invalid'],
    ['://svc.test', 'invalid'],
    ['ftp://svc.test', 'invalid'],
    ['https:://svc.test', 'invalid'],
    ['https:/svc.test', 'invalid'],
    ['http://svc.test', 'invalid'],
    ['svc.test', 'invalid'],
    [`${ORIGIN}/`, 'invalid'],
    [`${ORIGIN} /`, 'invalid'],
    [`${ORIGIN}?`, 'invalid'],
    [`${ORIGIN}#`, 'invalid'],
    [`${ORIGIN}%23`, 'invalid'],
    [`${ORIGIN}:443`, 'invalid'],
    [`${ORIGIN}:8443`, 'invalid'],
    [`${ORIGIN}, *`, 'invalid'],
    [`${ORIGIN} ${ORIGIN}`, 'invalid'],
    ['HTTPS://SVC.TEST', 'invalid'],
    ['HTTPS://svc.test', 'invalid'],
    ['https://SVC.test', 'invalid'],
    ['-', 'invalid'],
    ['**', 'invalid'],
    ["'*'", 'invalid'],
    ['"*"', 'invalid'],
    ['* *', 'invalid'],
    ['* null', 'invalid'],
    ['null', 'invalid'],
    ['null *', 'invalid'],
    ['', 'invalid'],
    [`${ORIGIN}/page.html?x#y`, 'invalid'],
    ['*.test', 'invalid'],
    ['https://*.test', 'invalid'],
    ['.test', 'invalid'],
    ['*\0', 'invalid'],
  ])('rejects Access-Control-Allow-Origin: %j (%s)', (value, code) => {
    expect(corsCheck(ORIGIN, [[name, value]])).toMatchObject({ code });
  });

  test.each([
    ['*', '*'],
    [ORIGIN, ORIGIN],
    ['*', ORIGIN],
    [ORIGIN, '*'],
    ['', '*'],
  ])('rejects two headers: %j and %j', (a, b) => {
    expect(
      corsCheck(ORIGIN, [
        [name, a],
        [name, b],
      ]),
    ).toMatchObject({ code: 'invalid', cause: 'two-headers' });
  });

  test('rejects a response without the header, even with a similar header', () => {
    expect(corsCheck(ORIGIN, [['access-control-allow-origins', '*']])).toMatchObject({ code: 'missing' });
  });

  test('accepts * and null for Origin: null', () => {
    expect(corsCheck('null', [[name, '*']])).toBeNull();
    expect(corsCheck('null', [[name, 'null']])).toBeNull();
    expect(corsCheck('null', [[name, ORIGIN]])).toMatchObject({ code: 'refused' });
  });
});

describe('redirects', () => {
  const [a, b] = ['https://a.test/x', 'https://b.test/x'];
  test.each<[string, string[], (string | null)[]]>([
    ['one host', [a], [ORIGIN]],
    ['on one host', [a, 'https://a.test/y'], [ORIGIN, ORIGIN]],
    ['to another host', [a, b], [ORIGIN, 'null']],
    ['and back', [a, b, a], [ORIGIN, 'null', 'null']],
    ['to another port', [a, 'https://a.test:8443/x'], [ORIGIN, 'null']],
    ['from the page’s own host', [`${ORIGIN}/x`, a], [null, ORIGIN]],
    ['from there on', [`${ORIGIN}/x`, a, b], [null, ORIGIN, 'null']],
    ['back to the page’s own host', [a, `${ORIGIN}/x`], [ORIGIN, 'null']],
    ['within the page’s own host', [`${ORIGIN}/x`, `${ORIGIN}/y`], [null, null]],
  ])('the request has the expected Origin: %s', (_, urls, expected) => {
    expect(hopOrigins(ORIGIN, urls).map((h) => h.origin)).toEqual(expected);
  });

  function chain(...values: (string | null)[]): Hop[] {
    return values.map((value, i) =>
      hop(value === null ? {} : { [name]: value }, {
        url: i === 0 ? a : b,
        status: i === values.length - 1 ? 200 : 302,
      }),
    );
  }
  test.each<[string, (string | null)[], object | null]>([
    ['* on both', ['*', '*'], null],
    ['* and null', ['*', 'null'], null],
    ['the origin, then *', [ORIGIN, '*'], null],
    [
      'the origin on both',
      [ORIGIN, ORIGIN],
      { index: 1, code: 'refused', cause: 'redirect-null-origin', sent: 'null' },
    ],
    ['none on the first', [null, '*'], { index: 0, code: 'missing' }],
    ['none on the second', ['*', null], { index: 1, code: 'missing' }],
  ])('the CORS headers of each response are checked: %s', (_, values, expected) => {
    const fault = corsFault(probe(chain(...values), { origin: ORIGIN }));
    if (expected === null) expect(fault).toBeNull();
    else expect(fault).toMatchObject(expected);
  });

  test.each([304, 407, 0])('a response with status %i is not checked', (status) => {
    expect(corsFault(probe(hop({}, { status }), { origin: ORIGIN }))).toBeNull();
  });
});

const preflight = (headers: Record<string, string>, status = 200, requested = ['x-probe'], method = 'GET') =>
  preflightFault(
    probe(hop({ [name]: '*', ...headers }, { status }), { method: 'OPTIONS', origin: ORIGIN }),
    requested,
    method,
  )?.cause ?? null;
const headers = 'access-control-allow-headers';
const methods = 'access-control-allow-methods';

describe('the preflight check', () => {
  test.each([200, 204, 206, 299])('accepts status %i', (status) =>
    expect(preflight({ [headers]: '*' }, status)).toBeNull(),
  );
  test.each([
    [300, 'redirect'],
    [301, 'redirect'],
    [302, 'redirect'],
    [303, 'redirect'],
    [304, 'redirect'],
    [307, 'redirect'],
    [308, 'redirect'],
    [400, 'status'],
    [401, 'status'],
    [404, 'status'],
    [405, 'status'],
    [500, 'status'],
    [501, 'status'],
    [680, 'status'],
    [790, 'status'],
  ])('rejects status %i', (status, cause) => expect(preflight({ [headers]: '*' }, status)).toBe(cause));

  test.each<[string, Record<string, string>, string | null]>([
    ['*', { [headers]: '*' }, null],
    ['by name, in any case', { [headers]: 'X-PROBE' }, null],
    ['among others, with empty elements', { [headers]: ',a, ,x-probe,' }, null],
    ['not at all', {}, 'header-refused'],
    ['others', { [headers]: 'x-other' }, 'header-refused'],
    ['not a list', { [headers]: 'x probe' }, 'headers-malformed'],
    ['methods that are not a list', { [headers]: '*', [methods]: 'GET; HEAD' }, 'methods-malformed'],
    ['methods without GET', { [headers]: '*', [methods]: 'PUT' }, null],
    ['methods in lower case', { [headers]: '*', [methods]: 'get' }, null],
  ])('checks the allowed headers: %s', (_, answer, cause) => expect(preflight(answer)).toBe(cause));

  test.each<[string, string, string | null]>([
    ['GET', '', null],
    ['HEAD', '', null],
    ['POST', '', null],
    ['PUT', '', 'method-refused'],
    ['PUT', 'PUT', null],
    ['PUT', '*', null],
    ['PUT', 'put', 'method-refused'],
  ])('checks the method %s against %j', (method, allowed, cause) =>
    expect(preflight({ [headers]: '*', [methods]: allowed }, 200, [], method)).toBe(cause),
  );

  test('accepts Authorization only by name, not by *', () => {
    expect(preflight({ [headers]: '*' }, 200, ['authorization'])).toBe('header-refused');
    expect(preflight({ [headers]: '*, Authorization' }, 200, ['authorization', 'x-probe'])).toBeNull();
  });

  test('checks the origin', () => {
    expect(preflight({ [name]: 'https://other.test', [headers]: '*' })).toBe('origin');
  });
});

test.each<[string, boolean]>([
  ['https://svc.test', true],
  ['http://localhost:3000', true],
  ['https://[::1]:8443', true],
  ['chrome-extension://abcdefgh', false],
  ['https://svc.test/', false],
  ['https://svc.test:443', false],
  ['HTTPS://svc.test', false],
  ['https://*.test', false],
  ['null', false],
  ['*', false],
])('isOrigin(%j) is %s', (text, expected) => expect(isOrigin(text)).toBe(expected));
