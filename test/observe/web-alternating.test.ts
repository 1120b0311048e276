// Scenario: hosts alternate between responses in every order.
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/core/findings/report.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultRequest,
  GOOD_JSON,
  inTurn,
  json,
  tagged,
} from '../support/fault-host.ts';
import { faults, gzipped, SVG } from '../support/live-registry.ts';
import { byRequest, liveFixture, verifyPatiently } from '../support/live-fixture.ts';

/** Hosts that alternate between responses: no finding is attributed to the origin, the method or a header. */

const fixture = liveFixture();

/** Rules that attribute a response to a property of the request. */
const PERMANENT_FAULTS =
  /^(conditional-request-rejected|head-refused|cors-|browser-refused|compressed-copy-|unreachable|answers-differ|content-type)/;

type Pick = (request: FaultRequest) => boolean;

/** Every so many of the requests that are chosen. */
function everyNth(count: number, chosen: Pick = () => true): Pick {
  let number = 0;
  return (request) => chosen(request) && ++number % count === 0;
}

/** A sequence without a period, from a seed. */
function atRandom(seed: number, share: number, chosen: Pick = () => true): Pick {
  let state = seed;
  return (request) => {
    if (!chosen(request)) return false;
    // The constants of Numerical Recipes: products stay below 2^53.
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32 < share / 100;
  };
}

const APPS = 4;

/** A registry of several apps, of which the requests that are chosen get an error status. */
function putApps(isHit: Pick, status: number): string {
  const { host, live } = fixture;
  const error = answer({ status, headers: CORS, body: 'no such file' });
  const sometimes = (good: Behaviour): Behaviour => byRequest((request) => (isHit(request) ? error : good));
  const apps: Record<string, object> = {};
  for (let i = 0; i < APPS; i++) {
    apps[`app-${i}`] = {
      name: `App ${i}`,
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${host.origin}/${i}.svg`, color: '#336699' },
      appMetadataUrl: `${host.origin}/${i}.json`,
    };
    const versions = [{ ...live.versions[0], artifactUrl: `${host.origin}/${i}.tar.gz` }];
    host.on(`/${i}.json`, sometimes(tagged(JSON.stringify({ versions }))));
    const icon = byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) });
    host.on(`/${i}.svg`, sometimes(icon));
    host.on(`/${i}.tar.gz`, sometimes(gzipped(live.artifact)));
  }
  host.on('/registry.json', sometimes(tagged(JSON.stringify({ apps }))));
  return live.url;
}

function permanentFaultsIn({ findings }: Report): string[] {
  return findings
    .filter(({ rule, severity }) => PERMANENT_FAULTS.test(rule) && severity !== 'note')
    .map(({ rule, message }) => `${rule}: ${message}`);
}

interface Turns {
  name: string;
  isHit: () => Pick;
  status: number;
}

const isHead: Pick = ({ method }) => method === 'HEAD';
const isOptions: Pick = ({ method }) => method === 'OPTIONS';
const isConditional: Pick = ({ headers }) => 'if-none-match' in headers;
/** One of two servers, to which connections lead by turns, does not have the file. */
const isMissing: Pick = ({ path, connection }) => path === '/1.json' && connection % 2 === 0;
const isBrowser: Pick = ({ method, headers }) => method === 'GET' && 'origin' in headers;

const INTERMITTENT_FAULTS: Turns[] = [
  ...[403, 404, 500].flatMap((status): Turns[] => [
    { name: `every second request: ${status}`, isHit: () => everyNth(2), status },
    { name: `every third request: ${status}`, isHit: () => everyNth(3), status },
    { name: `every second GET: ${status}`, isHit: () => everyNth(2, ({ method }) => method === 'GET'), status },
    { name: `every second HEAD: ${status}`, isHit: () => everyNth(2, isHead), status },
    { name: `every second preflight: ${status}`, isHit: () => everyNth(2, isOptions), status },
    { name: `every second request with a condition: ${status}`, isHit: () => everyNth(2, isConditional), status },
    { name: `every second request with Origin: ${status}`, isHit: () => everyNth(2, isBrowser), status },
  ]),
  { name: 'one in three, without a period: 404', isHit: () => atRandom(7, 33), status: 404 },
  { name: 'one in two, without a period: 404', isHit: () => atRandom(11, 50), status: 404 },
  { name: 'only the first HEAD: 404', isHit: firstOf(isHead), status: 404 },
  { name: 'only the first request with a condition: 404', isHit: firstOf(isConditional), status: 404 },
];

function firstOf(chosen: Pick): () => Pick {
  return () => {
    let isDone = false;
    return (request) => !isDone && (isDone = chosen(request));
  };
}

describe('an intermittent response', () => {
  test.each(INTERMITTENT_FAULTS)(
    'with an error status is a fault of the host, not of the request: $name',
    async ({ isHit, status }) => {
      const { report } = await verifyPatiently(putApps(isHit(), status));
      expect(permanentFaultsIn(report)).toEqual([]);
      expect(report.findings.filter(({ rule }) => rule === 'host-intermittent')).toHaveLength(1);
    },
  );

  test('of one of two servers is not attributed to the request', async () => {
    const { report } = await verifyPatiently(putApps(isMissing, 404));
    expect(permanentFaultsIn(report)).toEqual([]);
  });

  test('with other content is reported as such, even if it is only for conditional requests', async () => {
    const other = JSON.stringify({ versions: [], note: 'another generation' });
    const first = tagged(fixture.metadata());
    const second = json(other, { ETag: '"other"' });
    let plain = 0;
    let number = 0;
    fixture.live.serve(
      'a.json',
      byRequest((request) => {
        if (request.method !== 'GET') return first;
        if ('if-none-match' in request.headers) return second;
        return plain++ < 2 || number++ % 2 === 0 ? first : second;
      }),
    );
    const { report } = await verifyPatiently(fixture.live.url);
    expect(faults(report)).toEqual(['warning answers-differ intermittent (metadata)']);
  });
});

interface OtherHead {
  name: string;
  /** Whether GET requests bring the other file by turns as well. */
  isByTurns: boolean;
  expected: string[];
}

test.each<OtherHead>([
  { name: 'HEAD alone', isByTurns: false, expected: ['warning head-refused content-length-differs (metadata)'] },
  {
    name: 'GET by turns too',
    isByTurns: true,
    expected: ['warning answers-differ intermittent (metadata)'],
  },
])('the cause of another length for HEAD is determined: $name', async ({ isByTurns, expected }) => {
  const { host, live } = fixture;
  const first = json(fixture.metadata());
  const second = json(JSON.stringify({ versions: [], note: 'another generation, which is of another length' }));
  let number = 0;
  live.serve(
    'a.json',
    byRequest(({ method }) => {
      if (method === 'HEAD') return second;
      const isEarly = host.requestsFor('/a.json', 'GET').length <= 3;
      return method !== 'GET' || isEarly || !isByTurns || number++ % 2 === 0 ? first : second;
    }),
  );
  const { report } = await verifyPatiently(live.url);
  expect(faults(report)).toEqual(expected);
});

interface Refusal {
  name: string;
  isHit: Pick;
  status: number;
  rule: string;
}

test.each<Refusal>([
  ...[403, 404, 405, 500, 501].flatMap((status): Refusal[] => [
    { name: `HEAD: ${status}`, isHit: isHead, status, rule: 'head-refused' },
    { name: `preflights: ${status}`, isHit: isOptions, status, rule: 'cors-preflight-refused' },
    { name: `conditions: ${status}`, isHit: isConditional, status, rule: 'conditional-request-rejected' },
  ]),
  { name: 'preflights: 503', isHit: isOptions, status: 503, rule: 'cors-preflight-refused' },
  { name: 'requests with Origin: 403', isHit: isBrowser, status: 403, rule: 'cors-origin-refused' },
])('requests that are always refused are reported: $name', async ({ isHit, status, rule }) => {
  const { report } = await verifyPatiently(putApps(isHit, status));
  const rules = report.findings.map((one) => one.rule);
  expect(rules).toContain(rule);
  expect(rules).not.toContain('host-intermittent');
});

describe('additional requests', () => {
  test('are not sent to a registry without faults', async () => {
    await verifyPatiently(putApps(() => false, 404));
    const plain = fixture.host.requestsFor('/0.json', 'GET').filter(({ headers }) => !('origin' in headers));
    expect(plain.filter(({ headers }) => !('if-none-match' in headers) && !('sec-fetch-mode' in headers))).toHaveLength(
      1,
    );
    expect(fixture.host.requestsFor('/0.json', 'HEAD')).toHaveLength(1);
  });

  test.each([
    { name: 'a host that has them or not', isByTurns: false, most: 400 + 2 * 3 * 10 },
    { name: 'a host that is known to answer by turns', isByTurns: true, most: 400 + 2 * 3 * 24 },
  ])('are limited if many files are missing: $name', async ({ isByTurns, most }) => {
    const { host, live } = fixture;
    const apps: Record<string, object> = {};
    for (let i = 0; i < 200; i++)
      apps[`app-${i}`] = {
        name: `App ${i}`,
        description: 'Does a thing.',
        blockStyle: { iconUrl: `${host.origin}/missing-${i}.svg`, color: '#336699' },
        appMetadataUrl: `${host.origin}/missing-${i}.json`,
      };
    const manifest = answer({ headers: GOOD_JSON, body: JSON.stringify({ apps }) });
    live.serve(
      'registry.json',
      byMethod({ GET: isByTurns ? inTurn(answer({ status: 404 }), manifest) : manifest, HEAD: manifest }),
    );
    const { report } = await verifyPatiently(live.url);
    expect(report.findings.some(({ rule }) => rule === 'host-intermittent')).toBe(isByTurns);
    const missing = host.requests.filter(({ path }) => path.startsWith('/missing-'));
    expect(missing.length).toBeGreaterThan(400);
    expect(missing.length).toBeLessThanOrEqual(most);
  });
});
