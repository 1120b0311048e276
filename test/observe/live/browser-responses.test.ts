import { describe, expect, test } from 'vitest';
import { answer, type Behaviour, byMethod, CORS, GOOD_JSON, inTurn, json } from '../../support/fault-host.ts';
import { byRequest, checkCases, type LiveCase, liveFixture, verifyPatiently } from '../../support/live-fixture.ts';
import { faults, ORIGIN, SVG } from '../../support/live-registry.ts';

/** Responses to browsers that differ from responses to other clients. */

const fixture = liveFixture();

const ALLOW = 'Access-Control-Allow-Origin';

/** Alternates the responses to GET; a conditional request gets the first one and is not counted. */
const byTurns = (...answers: Behaviour[]): Behaviour => {
  let turn = 0;
  return byMethod({
    GET: (request, socket) => {
      const isConditional = request.headers['if-none-match'] !== undefined;
      return answers[isConditional ? 0 : turn++ % answers.length]!(request, socket);
    },
    HEAD: (request, socket) => json(fixture.metadata())(request, socket),
  });
};

const alternating = (...bodies: string[]): Behaviour => byTurns(...bodies.map((body) => json(body)));

const refuse =
  (file: 'a.json' | 'a.svg' | '2.tar.gz', isRefused: (headers: Record<string, string>) => boolean): (() => void) =>
  () => {
    const body = { 'a.json': fixture.metadata(), 'a.svg': SVG, '2.tar.gz': fixture.live.artifact }[file];
    const type = { 'a.json': 'application/json', 'a.svg': 'image/svg+xml', '2.tar.gz': 'application/gzip' }[file];
    fixture.live.serve(
      file,
      byRequest(({ headers }) =>
        isRefused(headers)
          ? answer({ status: 403, headers: CORS, body: 'refused' })
          : byMethod({ GET: answer({ headers: { ...GOOD_JSON, 'Content-Type': type }, body }) }),
      ),
    );
  };

const headWith =
  (headers: readonly (readonly [string, string])[]): (() => void) =>
  () =>
    fixture.live.serve(
      'a.json',
      byMethod({
        GET: json(fixture.metadata()),
        HEAD: answer({ headers: [['Content-Type', 'application/json'], ...headers], length: null }),
      }),
    );

describe('responses that differ', () => {
  const OTHER = JSON.stringify({ versions: [], note: 'another generation' });
  const shorter = (): string => JSON.stringify({ versions: fixture.live.versions.slice(0, 1) });

  checkCases(fixture, [
    {
      name: 'by turns',
      serve: () => fixture.live.serve('a.json', alternating(fixture.metadata(), OTHER)),
      expect: ['warning answers-differ intermittent (metadata)'],
    },
    {
      name: 'replaced after the first answer',
      serve: () => fixture.live.serve('a.json', byMethod({ GET: inTurn(json(fixture.metadata()), json(shorter())) })),
      expect: [],
    },
    {
      name: 'replaced between two probes',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byMethod({
            HEAD: json(shorter()),
            GET: inTurn(
              ...[fixture.metadata(), shorter(), fixture.metadata(), fixture.metadata(), shorter()].map((one) =>
                json(one),
              ),
            ),
          }),
        ),
      expect: [],
    },
    {
      name: 'for requests with Origin',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byRequest(({ headers }) => json(headers['origin'] ? OTHER : fixture.metadata(), { Vary: 'Origin' })),
        ),
      expect: ['warning answers-differ origin (metadata)'],
    },
    {
      name: 'for browsers',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byRequest(({ headers }) => json(headers['user-agent']?.includes('Mozilla') ? OTHER : fixture.metadata())),
        ),
      expect: ['warning answers-differ agent (metadata)'],
    },
    {
      name: '404 by turns',
      serve: () =>
        fixture.live.serve('a.json', byTurns(json(fixture.metadata()), answer({ status: 404, headers: CORS }))),
      expect: ['warning host-intermittent alternating (metadata)'],
    },
  ]);

  test('a document that is generated for each response is a note', async () => {
    let count = 0;
    fixture.live.serve(
      'registry.json',
      byMethod({
        GET: (request, socket) => json({ ...JSON.parse(fixture.manifest()), made: ++count })(request, socket),
      }),
    );
    const { report } = await verifyPatiently(fixture.live.url);
    expect(
      report.findings.filter(({ rule }) => rule === 'answers-differ').map(({ cause, severity }) => [cause, severity]),
    ).toEqual([['each-time', 'note']]);
  });
});

describe('resource isolation', () => {
  checkCases(fixture, [
    {
      name: 'Sec-Fetch-Site: cross-site',
      serve: refuse('a.json', (headers) => headers['sec-fetch-site'] === 'cross-site'),
      expect: ['error browser-refused fetch-metadata (metadata)'],
    },
    {
      name: 'Sec-Fetch-Mode: cors',
      serve: refuse('a.json', (headers) => headers['sec-fetch-mode'] === 'cors'),
      expect: ['error browser-refused fetch-metadata (metadata)'],
    },
    {
      name: 'an icon, but for fetch()',
      serve: refuse('a.svg', (headers) => headers['sec-fetch-dest'] === 'image'),
      expect: ['error browser-refused fetch-metadata (icon)'],
    },
    {
      name: 'an icon as a plain <img>',
      serve: refuse('a.svg', (headers) => headers['sec-fetch-mode'] === 'no-cors'),
      expect: ['error browser-refused image-fetch-metadata (icon)'],
    },
    {
      name: 'an artifact',
      serve: refuse('2.tar.gz', (headers) => headers['sec-fetch-site'] === 'cross-site'),
      expect: ['error browser-refused fetch-metadata (artifact 2.0.0)'],
    },
    {
      name: 'browsers by their name',
      serve: refuse('a.json', (headers) => /Chrome/.test(headers['user-agent'] ?? '')),
      expect: ['error browser-refused agent (metadata)'],
    },
    {
      name: 'all but CORS requests and same sites',
      serve: refuse(
        'a.json',
        (headers) => headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] !== 'cors',
      ),
      expect: [],
    },
    {
      name: 'a refusal that depends on Origin is attributed to the origin',
      serve: refuse('a.json', (headers) => headers['origin'] !== undefined),
      expect: ['error cors-origin-refused status-403 (metadata)'],
      options: { origins: [ORIGIN] },
    },
  ]);

  test('requests from a page of the host itself are not reported as refused', async () => {
    refuse('a.json', (headers) => headers['sec-fetch-site'] === 'cross-site')();
    expect(faults((await verifyPatiently(fixture.live.url, { origins: [fixture.host.origin] })).report)).toEqual([]);
  });
});

describe('HEAD and 304 in a browser', () => {
  checkCases(fixture, [
    { name: 'HEAD without the header', serve: headWith([]), expect: ['warning cors-head-refused absent (metadata)'] },
    {
      name: 'HEAD with the header twice',
      serve: headWith([
        [ALLOW, '*'],
        [ALLOW, '*'],
      ]),
      expect: ['warning cors-head-refused two-headers (metadata)'],
    },
    {
      name: 'HEAD for another origin',
      serve: headWith([[ALLOW, 'https://other.test']]),
      expect: ['warning cors-head-refused other-origin (metadata)'],
    },
    { name: 'HEAD for this origin', serve: headWith([[ALLOW, ORIGIN]]), expect: [], options: { origins: [ORIGIN] } },
    {
      name: 'a preflight that is refused for HEAD',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byRequest(({ headers }) =>
            byMethod({
              GET: json(fixture.metadata()),
              ...(headers['access-control-request-method'] === 'HEAD' ? { OPTIONS: answer({ status: 403 }) } : {}),
            }),
          ),
        ),
      expect: ['warning cors-head-refused preflight-status (metadata)'],
    },
    ...[
      ['another origin', [[ALLOW, 'https://other.test']], 'other-origin'],
      ['null', [[ALLOW, 'null']], 'null'],
      ['an empty one', [[ALLOW, '']], 'empty'],
      [
        'two of them',
        [
          [ALLOW, '*'],
          [ALLOW, '*'],
        ],
        'two-headers',
      ],
      ['none', [], null],
      ['the same', [[ALLOW, '*']], null],
      ['this origin', [[ALLOW, ORIGIN]], null],
    ].map(([name, headers, cause]): LiveCase => ({
      name: `304 with ${String(name)}`,
      serve: () =>
        fixture.live.serve(
          'a.json',
          byRequest((request) =>
            request.headers['if-none-match'] === '"a"'
              ? answer({ status: 304, headers: [['ETag', '"a"'], ...(headers as [string, string][])] })
              : json(fixture.metadata(), { ETag: '"a"' }),
          ),
        ),
      expect: cause === null ? [] : [`error cors-revalidation-refused ${String(cause)} (metadata)`],
      options: { origins: [ORIGIN] },
    })),
  ]);

  test('a preflight that lists GET but not HEAD is a note', async () => {
    const allow = { ...CORS, 'Access-Control-Allow-Methods': 'GET', 'Access-Control-Allow-Headers': '*' };
    fixture.live.serve(
      'a.json',
      byMethod({ GET: json(fixture.metadata()), OPTIONS: answer({ status: 204, headers: allow }) }),
    );
    const { report } = await verifyPatiently(fixture.live.url);
    const found = report.findings.filter(({ rule }) => rule === 'cors-head-refused');
    expect(found.map(({ cause, severity }) => [cause, severity])).toEqual([['not-listed', 'note']]);
  });
});
