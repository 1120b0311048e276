import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultRequest,
  GOOD_JSON,
  inTurn,
  json,
} from '../support/fault-host.ts';
import { by, type Case, check, openStage, patiently } from '../support/live-stage.ts';
import { faults, ORIGIN, SVG } from '../support/live-registry.ts';

/** What a host sends to browsers and to clients that accept compression, where that is not what it sends to others. */

const s = openStage();

const OLD = JSON.stringify({ versions: [] });
const VARY = { Vary: 'Accept-Encoding, Origin' };

function accepts({ headers }: FaultRequest, coding: string): boolean {
  return (headers['accept-encoding'] ?? '').split(', ').includes(coding);
}

/** A metadata file with a copy for clients that accept a coding; the label is that coding where nothing is said, '' for none. */
function withCopy(
  body: () => Uint8Array,
  coding = 'gzip',
  label = coding,
  more: Record<string, string> = {},
): () => void {
  return () =>
    s.live.serve(
      'a.json',
      by((request) =>
        accepts(request, coding)
          ? byMethod({
              GET: answer({
                headers: { ...GOOD_JSON, ...VARY, ...(label === '' ? {} : { 'Content-Encoding': label }), ...more },
                body: body(),
              }),
            })
          : json(s.metadata(), VARY),
      ),
    );
}
const gz = (): Buffer => gzipSync(s.metadata());
const unreadable = (cause: string): string[] => [`error compressed-copy-unreadable ${cause} (metadata)`];

const ALLOW = 'Access-Control-Allow-Origin';

/** One answer after the other, whichever request comes next; a conditional request gets the first and takes no turn. */
const byTurns = (...answers: Behaviour[]): Behaviour => {
  let turn = 0;
  return byMethod({
    GET: (request, socket) => {
      const isConditional = request.headers['if-none-match'] !== undefined;
      return answers[isConditional ? 0 : turn++ % answers.length]!(request, socket);
    },
    HEAD: (request, socket) => json(s.metadata())(request, socket),
  });
};
const alternating = (...bodies: string[]): Behaviour => byTurns(...bodies.map((body) => json(body)));

const refusing =
  (file: 'a.json' | 'a.svg' | '2.tar.gz', isRefused: (headers: Record<string, string>) => boolean): (() => void) =>
  () => {
    const body = { 'a.json': s.metadata(), 'a.svg': SVG, '2.tar.gz': s.live.artifact }[file];
    const type = { 'a.json': 'application/json', 'a.svg': 'image/svg+xml', '2.tar.gz': 'application/gzip' }[file];
    s.live.serve(
      file,
      by(({ headers }) =>
        isRefused(headers)
          ? answer({ status: 403, headers: CORS, body: 'refused' })
          : byMethod({ GET: answer({ headers: { ...GOOD_JSON, 'Content-Type': type }, body }) }),
      ),
    );
  };

const HEAD =
  (headers: readonly (readonly [string, string])[]): (() => void) =>
  () =>
    s.live.serve(
      'a.json',
      byMethod({
        GET: json(s.metadata()),
        HEAD: answer({ headers: [['Content-Type', 'application/json'], ...headers], length: null }),
      }),
    );

const date = (year: number): Record<string, string> => ({
  'Last-Modified': `Mon, 01 Jan ${year} 00:00:00 GMT`,
});

describe('the copy for clients that accept compression', () => {
  test.each<Case>([
    ['gzip', withCopy(gz), []],
    ['br', withCopy(() => brotliCompressSync(s.metadata()), 'br'), []],
    [
      'the same JSON with other white space',
      withCopy(() => gzipSync(JSON.stringify(JSON.parse(s.metadata()), null, 2))),
      [],
    ],
    ['without the trailer, which all clients read', withCopy(() => gz().subarray(0, -8)), []],
    ['plain, labelled gzip', withCopy(() => Buffer.from(s.metadata())), unreadable('wrong-label')],
    ['br, labelled gzip', withCopy(() => brotliCompressSync(s.metadata()), 'br', 'gzip'), unreadable('wrong-label')],
    ['gzip, labelled br', withCopy(gz, 'br'), unreadable('wrong-label')],
    [
      'broken',
      withCopy(() => Buffer.concat([gz().subarray(0, 20), Buffer.alloc(9, 255), gz().subarray(29)])),
      unreadable('broken'),
    ],
    ['gzip without a label', withCopy(gz, 'gzip', ''), unreadable('unlabelled')],
    ['gzip of an older one without a label', withCopy(() => gzipSync(OLD), 'gzip', ''), unreadable('unlabelled')],
    ['br without a label', withCopy(() => brotliCompressSync(s.metadata()), 'br', ''), unreadable('unlabelled')],
    ['deflate without a label', withCopy(() => deflateSync(s.metadata()), 'deflate', ''), unreadable('unlabelled')],
    ['cut off', withCopy(() => gz().subarray(0, 60)), unreadable('truncated')],
    ['br, cut off', withCopy(() => brotliCompressSync(s.metadata()).subarray(0, 60), 'br'), unreadable('truncated')],
    ['with something behind the end', withCopy(() => Buffer.concat([gz(), Buffer.from('x')])), unreadable('bad-end')],
    ['compressed twice', withCopy(() => gzipSync(gz())), unreadable('compressed-twice')],
    [
      'several members',
      withCopy(() => Buffer.concat([gzipSync('{'), gzipSync(s.metadata().slice(1))])),
      unreadable('several-members'),
    ],
    ['older', withCopy(() => gzipSync(OLD)), ['error compressed-copy-differs other (metadata)']],
    [
      'older, with its date',
      () => {
        s.live.serve(
          'a.json',
          by((request) =>
            accepts(request, 'br')
              ? json(OLD, { ...VARY, ...date(2024) })
              : json(s.metadata(), { ...VARY, ...date(2025) }),
          ),
        );
      },
      ['error compressed-copy-differs older (metadata)'],
    ],
    [
      'refused with a status',
      () =>
        s.live.serve(
          'a.json',
          by((request) => (accepts(request, 'gzip') ? answer({ status: 406, headers: CORS }) : json(s.metadata()))),
        ),
      unreadable('status-406'),
    ],
    [
      'without CORS headers',
      () =>
        s.live.serve(
          'a.json',
          by((request) =>
            accepts(request, 'gzip')
              ? byMethod({
                  GET: answer({
                    headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip', ...VARY },
                    body: gz(),
                  }),
                })
              : json(s.metadata(), VARY),
          ),
        ),
      ['error cors-missing absent (metadata)'],
      { origins: [ORIGIN] },
    ],
    [
      'gzip older, and br as it should be',
      () =>
        s.live.serve(
          'a.json',
          by((request) => {
            const coding = accepts(request, 'br') ? 'br' : accepts(request, 'gzip') ? 'gzip' : null;
            if (coding === null) return json(s.metadata(), VARY);
            const body = coding === 'br' ? brotliCompressSync(s.metadata()) : gzipSync(OLD);
            return byMethod({ GET: answer({ headers: { ...GOOD_JSON, ...VARY, 'Content-Encoding': coding }, body }) });
          }),
        ),
      ['error compressed-copy-differs other (metadata)'],
    ],
    [
      'of the manifest, older',
      () =>
        s.live.serve(
          'registry.json',
          by((request) => json(accepts(request, 'gzip') ? '{"apps":{}}' : s.manifest(), VARY)),
        ),
      ['error compressed-copy-differs other (manifest)'],
    ],
    [
      'of the icon, broken',
      () =>
        s.live.serve(
          'a.svg',
          by((request) =>
            byMethod({
              GET: answer({
                headers: {
                  'Content-Type': 'image/svg+xml',
                  ...CORS,
                  ...(accepts(request, 'gzip') ? { 'Content-Encoding': 'gzip' } : {}),
                },
                body: SVG,
              }),
            }),
          ),
        ),
      ['error compressed-copy-unreadable wrong-label (icon)'],
    ],
    [
      'of the icon, without a label',
      () =>
        s.live.serve(
          'a.svg',
          by((request) =>
            byMethod({
              GET: answer({
                headers: { 'Content-Type': 'image/svg+xml', ...CORS },
                body: accepts(request, 'gzip') ? gzipSync(SVG) : SVG,
              }),
            }),
          ),
        ),
      ['error compressed-copy-unreadable unlabelled (icon)'],
    ],
  ])('%s', async (_, breakIt, expected, options) => {
    await check(s, breakIt, expected, options);
  });

  // docs/long-runs.md promises no more.
  test('at most eleven further requests show which header a difference depends on', async () => {
    const { host } = s;
    const asked = async (accepted: string): Promise<number> => {
      s.live.serve(
        'a.json',
        by((request) =>
          accepts(request, 'br')
            ? answer({
                headers: { ...GOOD_JSON, ...VARY, 'Content-Encoding': 'br' },
                body: brotliCompressSync(s.metadata()),
              })
            : json(request.headers['accept-encoding'] === accepted ? OLD : s.metadata(), VARY),
        ),
      );
      const before = host.requests.length;
      await patiently(s.live.url);
      return host.requests.slice(before).filter(({ path }) => path === '/a.json').length;
    };
    const usual = await asked('none');
    expect((await asked('gzip')) - usual).toBe(11);
  });

  test('both contents are named', async () => {
    withCopy(() => gzipSync(OLD))();
    const { report } = await patiently(s.live.url);
    const [found] = report.findings.filter(({ rule }) => rule === 'compressed-copy-differs');
    expect(found?.message).toMatch(
      /\d+ bytes, SHA-256 [0-9a-f]{12}…, from 127\.0\.0\.1 and 15 bytes, SHA-256 [0-9a-f]{12}…/,
    );
    expect(found?.evidence).toMatchObject({ contentEncoding: 'gzip', otherBytes: OLD.length });
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['Vary is missing', { Vary: 'Origin' }, ['vary']],
    ['the same strong ETag', { ETag: '"a"' }, ['etag']],
    ['a weak one', { ETag: 'W/"a"' }, []],
    ['Vary is missing, for nobody else', { Vary: 'Origin', 'Cache-Control': 'private, max-age=300' }, []],
  ])('how it is told from the plain one: %s', async (_, headers, causes) => {
    s.live.serve(
      'a.json',
      by((request) =>
        accepts(request, 'gzip')
          ? byMethod({
              GET: answer({ headers: { ...GOOD_JSON, ...VARY, ...headers, 'Content-Encoding': 'gzip' }, body: gz() }),
            })
          : json(s.metadata(), { ...VARY, ...headers }),
      ),
    );
    const { report } = await patiently(s.live.url);
    const found = report.findings.filter(({ rule }) => rule === 'compressed-copy-not-varied');
    expect(found.map(({ cause, severity }) => [cause, severity])).toEqual(causes.map((cause) => [cause, 'note']));
    expect(faults(report)).toEqual([]);
  });
});

describe('answers that differ', () => {
  const OTHER = JSON.stringify({ versions: [], note: 'another generation' });

  test.each<Case>([
    [
      'by turns',
      () => s.live.serve('a.json', alternating(s.metadata(), OTHER)),
      ['warning answers-differ intermittent (metadata)'],
    ],
    [
      'replaced after the first answer',
      () => s.live.serve('a.json', byMethod({ GET: inTurn(json(s.metadata()), json(OTHER)) })),
      [],
    ],
    [
      'replaced between two probes',
      () =>
        s.live.serve(
          'a.json',
          byMethod({
            HEAD: json(s.metadata()),
            GET: inTurn(...[s.metadata(), OTHER, s.metadata(), s.metadata(), OTHER].map((one) => json(one))),
          }),
        ),
      [],
    ],
    [
      'for requests with Origin',
      () =>
        s.live.serve(
          'a.json',
          by(({ headers }) => json(headers['origin'] ? OTHER : s.metadata(), { Vary: 'Origin' })),
        ),
      ['warning answers-differ origin (metadata)'],
    ],
    [
      'for browsers',
      () =>
        s.live.serve(
          'a.json',
          by(({ headers }) => json(headers['user-agent']?.includes('Mozilla') ? OTHER : s.metadata())),
        ),
      ['warning answers-differ agent (metadata)'],
    ],
    [
      '404 by turns',
      () => s.live.serve('a.json', byTurns(json(s.metadata()), answer({ status: 404, headers: CORS }))),
      ['warning host-intermittent by-turns (metadata)'],
    ],
  ])('%s', async (_, breakIt, expected) => {
    await check(s, breakIt, expected);
  });

  test('a document that is made anew for each answer', async () => {
    let count = 0;
    s.live.serve(
      'registry.json',
      byMethod({ GET: (request, socket) => json({ ...JSON.parse(s.manifest()), made: ++count })(request, socket) }),
    );
    const { report } = await patiently(s.live.url);
    expect(
      report.findings.filter(({ rule }) => rule === 'answers-differ').map(({ cause, severity }) => [cause, severity]),
    ).toEqual([['each-time', 'note']]);
  });
});

describe('resource isolation', () => {
  test.each<Case>([
    [
      'Sec-Fetch-Site: cross-site',
      refusing('a.json', (headers) => headers['sec-fetch-site'] === 'cross-site'),
      ['error browser-refused fetch-metadata (metadata)'],
    ],
    [
      'Sec-Fetch-Mode: cors',
      refusing('a.json', (headers) => headers['sec-fetch-mode'] === 'cors'),
      ['error browser-refused fetch-metadata (metadata)'],
    ],
    [
      'an icon, but for fetch()',
      refusing('a.svg', (headers) => headers['sec-fetch-dest'] === 'image'),
      ['error browser-refused fetch-metadata (icon)'],
    ],
    [
      'an icon as a plain <img>',
      refusing('a.svg', (headers) => headers['sec-fetch-mode'] === 'no-cors'),
      ['error browser-refused image-fetch-metadata (icon)'],
    ],
    [
      'an artifact',
      refusing('2.tar.gz', (headers) => headers['sec-fetch-site'] === 'cross-site'),
      ['error browser-refused fetch-metadata (artifact 2.0.0)'],
    ],
    [
      'browsers by their name',
      refusing('a.json', (headers) => /Chrome/.test(headers['user-agent'] ?? '')),
      ['error browser-refused agent (metadata)'],
    ],
    [
      'all but CORS requests and same sites',
      refusing(
        'a.json',
        (headers) => headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] !== 'cors',
      ),
      [],
    ],
    [
      'another origin is still blamed for what follows it',
      refusing('a.json', (headers) => headers['origin'] !== undefined),
      ['error cors-origin-refused status-403 (metadata)'],
      { origins: [ORIGIN] },
    ],
  ])('%s', async (_, breakIt, expected, options) => {
    await check(s, breakIt, expected, options);
  });

  test('nothing is refused to a page of the host itself', async () => {
    refusing('a.json', (headers) => headers['sec-fetch-site'] === 'cross-site')();
    expect(faults((await patiently(s.live.url, { origins: [s.host.origin] })).report)).toEqual([]);
  });
});

describe('HEAD and 304 in a browser', () => {
  test.each<Case>([
    ['HEAD without the header', HEAD([]), ['warning cors-head-refused absent (metadata)']],
    [
      'HEAD with it twice',
      HEAD([
        [ALLOW, '*'],
        [ALLOW, '*'],
      ]),
      ['warning cors-head-refused two-headers (metadata)'],
    ],
    [
      'HEAD for another origin',
      HEAD([[ALLOW, 'https://other.test']]),
      ['warning cors-head-refused other-origin (metadata)'],
    ],
    ['HEAD for this origin', HEAD([[ALLOW, ORIGIN]]), [], { origins: [ORIGIN] }],
    [
      'a preflight that is refused for HEAD',
      () =>
        s.live.serve(
          'a.json',
          by(({ headers }) =>
            byMethod({
              GET: json(s.metadata()),
              ...(headers['access-control-request-method'] === 'HEAD' ? { OPTIONS: answer({ status: 403 }) } : {}),
            }),
          ),
        ),
      ['warning cors-head-refused preflight-status (metadata)'],
    ],
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
    ].map(([name, headers, cause]): Case => [
      `304 with ${String(name)}`,
      () =>
        s.live.serve(
          'a.json',
          by((request) =>
            request.headers['if-none-match'] === '"a"'
              ? answer({ status: 304, headers: [['ETag', '"a"'], ...(headers as [string, string][])] })
              : json(s.metadata(), { ETag: '"a"' }),
          ),
        ),
      cause === null ? [] : [`error cors-revalidation-refused ${String(cause)} (metadata)`],
      { origins: [ORIGIN] },
    ]),
  ])('%s', async (_, breakIt, expected, options) => {
    await check(s, breakIt, expected, options);
  });

  test('a preflight that lists GET and not HEAD is a note, as browsers let HEAD pass', async () => {
    const allow = { ...CORS, 'Access-Control-Allow-Methods': 'GET', 'Access-Control-Allow-Headers': '*' };
    s.live.serve('a.json', byMethod({ GET: json(s.metadata()), OPTIONS: answer({ status: 204, headers: allow }) }));
    const { report } = await patiently(s.live.url);
    const found = report.findings.filter(({ rule }) => rule === 'cors-head-refused');
    expect(found.map(({ cause, severity }) => [cause, severity])).toEqual([['not-listed', 'note']]);
  });
});
