import { describe, expect, test } from 'vitest';
import {
  isMissing,
  type RepeatedProbe,
  type Missing,
  type Probe,
  type HttpViews,
} from '../../../src/core/facts/facts.ts';
import { reasonText } from '../../../src/core/rules/lookup.ts';
import { sideProbes } from '../../../src/core/http/side-probes.ts';
import { isTransportFailure } from '../../../src/core/http/probe.ts';
import { ADDRESS, failed, hop, probe, web } from '../../support/probes.ts';

const status = (code: number): Probe => probe(hop({}, { status: code }));

interface Ending {
  name: string;
  probe: Probe;
  transport: boolean;
}

const ENDINGS: Ending[] = [
  { name: 'a name that is not found', probe: failed('dns', 'ENOTFOUND'), transport: true },
  { name: 'a refused connection', probe: failed('connect', 'ECONNREFUSED'), transport: true },
  { name: 'a proxy', probe: failed('proxy', 'PROXY_502'), transport: true },
  { name: 'an expired certificate', probe: failed('tls', 'CERT_HAS_EXPIRED'), transport: true },
  { name: 'a reset', probe: failed('headers', 'ECONNRESET'), transport: true },
  { name: 'a closed connection', probe: failed('headers', 'SOCKET_CLOSED'), transport: true },
  { name: 'no answer in time', probe: failed('headers', 'HEADERS_TIMEOUT'), transport: true },
  { name: 'the time limit', probe: failed('time', 'TOTAL_TIMEOUT'), transport: true },
  { name: 'a head that ends early', probe: failed('headers', 'HPE_INVALID_EOF_STATE'), transport: true },
  { name: 'a body that ends early', probe: failed('body', 'TRUNCATED'), transport: true },
  { name: '408', probe: status(408), transport: true },
  { name: 'a malformed head', probe: failed('headers', 'HPE_INVALID_HEADER_TOKEN'), transport: false },
  { name: 'a head that is too large', probe: failed('headers', 'HEADERS_OVERFLOW'), transport: false },
  { name: 'another protocol', probe: failed('headers', 'UPGRADE'), transport: false },
  { name: 'a redirect fault', probe: failed('redirect', 'REDIRECT_LOOP'), transport: false },
  { name: 'a coding that is broken', probe: failed('decode', 'Z_DATA_ERROR'), transport: false },
  { name: '405', probe: status(405), transport: false },
  { name: '504', probe: status(504), transport: false },
  { name: '200', probe: status(200), transport: false },
];

describe('the result of a side probe', () => {
  test.each(ENDINGS)('is classified as a transport failure or not: $name', ({ probe: ended, transport }) => {
    expect(isTransportFailure(ended)).toBe(transport);
  });

  test.each(ENDINGS)('is a missing fact if the transport failed: $name', ({ probe: ended, transport }) => {
    const condition: HttpViews['conditional'] = [
      { condition: ['if-none-match', '"a"'], fabricated: false, probe: ended, sameBytes: null },
    ];
    const side = sideProbes(
      web(probe(), {
        head: ended,
        preflight: ended,
        headPreflight: ended,
        conditional: condition,
        revalidation: { condition: ['if-none-match', '"a"'], probe: ended },
        image: ended,
      }),
    );
    for (const [name, fact] of Object.entries(side)) {
      const unseen = (fact as Missing | null)?.missing;
      if (transport) expect(unseen, name).toMatchObject({ code: 'probe-failed', attempts: 1 });
      else expect(unseen, name).toBeUndefined();
    }
  });
});

interface Times {
  name: string;
  head: Probe;
  reason: string;
}

test.each<Times>([
  {
    name: 'twice',
    head: { ...failed('headers', 'ECONNRESET'), attempts: 2 },
    reason: 'the HEAD request failed twice (ECONNRESET)',
  },
  {
    name: 'three times',
    head: { ...status(408), attempts: 3 },
    reason: 'the HEAD request failed 3 times (status 408)',
  },
])('the reason describes the failure: $name', ({ head, reason }) => {
  const fact = sideProbes(web(probe(), { head })).head;
  expect(isMissing(fact) && reasonText(fact.missing)).toBe(reason);
});

interface Repetition {
  name: string;
  head: Probe;
  repeated: RepeatedProbe;
  judged: boolean;
}

test.each<Repetition>([
  {
    name: 'the status follows the method',
    head: status(404),
    repeated: { of: 'HEAD', url: ADDRESS, plain: [200, 200], same: [404, 404] },
    judged: true,
  },
  {
    name: 'HEAD passes now and then',
    head: status(404),
    repeated: { of: 'HEAD', url: ADDRESS, plain: [200, 200], same: [404, 200] },
    judged: false,
  },
  {
    name: 'GET is refused now and then',
    head: status(500),
    repeated: { of: 'HEAD', url: ADDRESS, plain: [200, 500], same: [500, 500] },
    judged: false,
  },
  {
    name: 'a limit that GET met alone',
    head: status(404),
    repeated: { of: 'HEAD', url: ADDRESS, plain: [200, 503, 429], same: [404, 404] },
    judged: true,
  },
  {
    name: 'a limit that both met',
    head: status(404),
    repeated: { of: 'HEAD', url: ADDRESS, plain: [200, 503], same: [404, 503] },
    judged: false,
  },
  {
    name: 'another kind of request',
    head: status(404),
    repeated: { of: 'preflight', url: ADDRESS, plain: [200, 404], same: [404, 200] },
    judged: true,
  },
  {
    name: 'HEAD itself was answered',
    head: status(200),
    repeated: { of: 'HEAD', url: ADDRESS, plain: [200, 404], same: [404, 200] },
    judged: true,
  },
])('repeated requests decide whether a probe is judged: $name', ({ head, repeated, judged }) => {
  const fact = sideProbes(web(probe(), { head, repeatedProbes: [repeated] })).head;
  expect(fact).toEqual(
    judged ? head : { missing: { code: 'blocked-by', rule: 'host-intermittent' }, intentional: true },
  );
});
