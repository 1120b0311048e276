import { describe, expect, test } from 'vitest';
import {
  answer,
  type Behaviour,
  byMethod,
  type FaultRequest,
  GOOD_JSON,
  inTurn,
  reset,
  tagged,
} from '../support/fault-host.ts';
import { faults } from '../support/live-registry.ts';
import { byRequest, liveFixture, verifyPatiently } from '../support/live-fixture.ts';

/**
 * Side probes that fail in transport: nothing about CORS, methods or conditions is concluded from them. If repeated ones
 * are never answered while plain GET requests are, that is a finding; live/unanswered.test.ts has hosts that are silent.
 */

const fixture = liveFixture();
const DATE = 'Wed, 18 Nov 2026 12:00:00 GMT';

interface Kind {
  name: string;
  is(request: FaultRequest): boolean;
  /** The validator that the file has. */
  validator: 'etag' | 'date';
  /** The rules that need it. */
  rules: string[];
  /** The warning if such requests are never answered. */
  unanswered: string;
}

const KINDS: Kind[] = [
  {
    name: 'OPTIONS',
    is: ({ method }) => method === 'OPTIONS',
    validator: 'etag',
    rules: ['cors-preflight-refused', 'cors-head-refused'],
    unanswered: 'cors-preflight-refused no-answer',
  },
  {
    name: 'HEAD',
    is: ({ method }) => method === 'HEAD',
    validator: 'etag',
    rules: ['head-refused', 'cors-head-refused'],
    unanswered: 'head-refused failed',
  },
  {
    name: 'If-None-Match',
    is: ({ headers }) => 'if-none-match' in headers,
    validator: 'etag',
    rules: ['conditional-request-rejected', 'not-modified-incorrect', 'etag-unstable', 'cors-revalidation-refused'],
    unanswered: 'conditional-request-rejected failed',
  },
  {
    name: 'If-Modified-Since',
    is: ({ headers }) => 'if-modified-since' in headers,
    validator: 'date',
    rules: ['conditional-request-rejected', 'not-modified-incorrect', 'etag-unstable', 'cors-revalidation-refused'],
    unanswered: 'conditional-request-rejected failed',
  },
];

/** Responds with the fault to requests over a reused connection, and normally to all others. */
function onReused(fault: Behaviour, otherwise: Behaviour): Behaviour {
  const used = new Set(fixture.host.requests.map(({ connection }) => connection));
  return (request, socket) => {
    const isReused = used.has(request.connection);
    used.add(request.connection);
    return (isReused ? fault : otherwise)(request, socket);
  };
}

interface Fault {
  name: string;
  /** How the requests of the kind are answered. */
  make(good: Behaviour): Behaviour;
  judged: boolean;
  /** True if no request of the kind is ever answered. */
  isUnanswered?: true;
  /** What the reason ends with. */
  reason?: RegExp;
}

const timeout = answer({ status: 408 });
const closing = answer({ status: 408, close: true });

const FAULTS: Fault[] = [
  {
    name: 'reset always',
    make: () => reset(),
    judged: false,
    isUnanswered: true,
  },
  { name: 'reset first', make: (good) => inTurn(reset(), good), judged: true },
  { name: '408 always', make: () => timeout, judged: false, reason: /failed (twice|3 times) \(status 408\)$/ },
  { name: '408 first', make: (good) => inTurn(timeout, good), judged: true },
  { name: '408 first, and closed', make: (good) => inTurn(closing, good), judged: true },
  { name: '408 over reused connections', make: (good) => onReused(timeout, good), judged: true },
  { name: '408 over reused connections, and closed', make: (good) => onReused(closing, good), judged: true },
];

function fileOf(body: string, { validator }: Kind): Behaviour {
  if (validator === 'etag') return tagged(body);
  const headers = { ...GOOD_JSON, 'Last-Modified': DATE, Date: new Date().toUTCString() };
  return byMethod({
    GET: byRequest(({ headers: { 'if-modified-since': since } }) =>
      since !== undefined && Date.parse(since) >= Date.parse(DATE)
        ? answer({ status: 304, headers })
        : answer({ headers, body }),
    ),
  });
}

describe.each(KINDS)('$name requests that fail in transport', (kind) => {
  test.each(FAULTS)(
    'are not judged, unless a retry succeeds: $name',
    async ({ make, judged, isUnanswered, reason }) => {
      const good = fileOf(fixture.metadata(), kind);
      const faulty = make(good);
      fixture.live.serve(
        'a.json',
        byRequest((request) => (kind.is(request) ? faulty : good)),
      );
      const { report } = await verifyPatiently(fixture.live.url);
      expect(faults(report)).toEqual(isUnanswered ? [`warning ${kind.unanswered} (metadata)`] : []);
      const skipped = report.notJudged.filter(
        ({ rule, resource }) => resource === 'metadata' && kind.rules.includes(rule),
      );
      const skippedRules = [...new Set(skipped.map(({ rule }) => rule))];
      // The finding explains why the others are not judged.
      if (isUnanswered) expect(kind.rules).toEqual(expect.arrayContaining(skippedRules));
      else expect(skippedRules.toSorted()).toEqual(judged ? [] : kind.rules.toSorted());
      for (const one of skipped) if (reason !== undefined) expect(one.reason).toMatch(reason);
    },
  );
});

test('a plain GET with a 408 response over a reused connection is sent again', async () => {
  const good = answer({ headers: GOOD_JSON, body: fixture.metadata() });
  fixture.live.serve('a.json', byMethod({ GET: onReused(timeout, good), HEAD: good }));
  const { report, apps } = await verifyPatiently(fixture.live.url);
  expect(faults(report)).toEqual([]);
  const [{ metadata }] = apps as [(typeof apps)[0]];
  expect(metadata.web).toMatchObject({ server: { attempts: 1, failure: null } });
});
