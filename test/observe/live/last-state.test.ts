import { describe, expect, test } from 'vitest';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  GOOD_JSON,
  inTurn,
  json,
  raw,
  reset,
} from '../../support/fault-host.ts';
import { checkCase, checkCases, type LiveCase, liveFixture } from '../../support/live-fixture.ts';
import { gzipped, SVG } from '../../support/live-registry.ts';

/** Hosts that answer otherwise later in the run: the last state is judged, and one bad response is not a state. */

const fixture = liveFixture();

type File = 'registry.json' | 'a.json' | 'a.svg';
type Headers = Record<string, string | undefined>;

const RESOURCES = { 'registry.json': 'manifest', 'a.json': 'metadata', 'a.svg': 'icon' } as const;
const FILES = ['registry.json', 'a.json', 'a.svg'] as const;
const PAGE = '<!doctype html><title>Deploying</title>';

function bodyOf(file: File): string {
  return { 'registry.json': fixture.manifest(), 'a.json': fixture.metadata(), 'a.svg': SVG }[file];
}

function serving(file: File, body: string = bodyOf(file), headers: Headers = {}): Behaviour {
  const own = file === 'a.svg' ? { ...CORS, 'Content-Type': 'image/svg+xml' } : GOOD_JSON;
  const sent = Object.entries({ ...own, ...headers }).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return answer({ headers: sent, body });
}

/** The responses to GET, one after another; HEAD is answered as the last one. */
function later(file: File, ...behaviours: Behaviour[]): void {
  fixture.live.serve(file, byMethod({ GET: inTurn(...behaviours), HEAD: behaviours.at(-1)! }));
}

/** The responses to GET alternate. */
function byTurns(file: File, ...behaviours: Behaviour[]): void {
  let turn = 0;
  fixture.live.serve(
    file,
    byMethod({
      GET: (request, socket) => behaviours[turn++ % behaviours.length]!(request, socket),
      HEAD: behaviours[0]!,
    }),
  );
}

const BAD: Readonly<Record<string, { serve: (file: File) => Behaviour; json: string; icon: string }>> = {
  'a page': {
    serve: (file) => serving(file, PAGE, { 'Content-Type': 'text/html' }),
    json: 'document-unreadable html-page',
    icon: 'icon-not-image html',
  },
  'no bytes': { serve: (file) => serving(file, ''), json: 'document-unreadable empty', icon: 'icon-not-image empty' },
  'half of the file': {
    serve: (file) => serving(file, bodyOf(file).slice(0, bodyOf(file).length / 2)),
    json: 'document-unreadable truncated',
    icon: 'icon-not-image svg-syntax',
  },
  'status 400': {
    serve: () => answer({ status: 400, headers: CORS, body: 'no' }),
    json: 'unreachable status-400',
    icon: 'unreachable status-400',
  },
};

describe('a file that is bad from its second response on', () => {
  checkCases(
    fixture,
    Object.entries(BAD).flatMap(([name, bad]) =>
      FILES.map((file): LiveCase => ({
        name: `${name} instead of ${file}`,
        serve: () => later(file, serving(file), bad.serve(file)),
        expect: [`error ${file === 'a.svg' ? bad.icon : bad.json} (${RESOURCES[file]})`],
      })),
    ),
  );
});

describe('a file whose first response alone is bad', () => {
  checkCases(
    fixture,
    [
      ...Object.entries(BAD),
      ['no HTTP', { serve: () => raw('HTTP/1.1 200 OK\r\nbad header\r\n\r\n') }] as const,
    ].flatMap(([name, bad]) =>
      FILES.map((file): LiveCase => ({
        name: `${name} instead of ${file}`,
        serve: () => later(file, bad.serve(file), serving(file)),
        expect: [`warning host-intermittent (${RESOURCES[file]})`],
      })),
    ),
  );
});

describe('a file whose second response alone is bad', () => {
  checkCases(
    fixture,
    Object.entries(BAD).flatMap(([name, bad]) =>
      FILES.map((file): LiveCase => ({
        name: `${name} instead of ${file}`,
        serve: () => later(file, serving(file), bad.serve(file), serving(file)),
        expect: [`warning host-intermittent (${RESOURCES[file]})`],
      })),
    ),
  );
});

describe('an artifact that is bad from its second response on', () => {
  const sound = (): Behaviour => gzipped(fixture.live.artifact);
  const CASES: readonly (readonly [name: string, bad: () => Behaviour, expected: string])[] = [
    ['a page', () => gzipped(PAGE, { 'Content-Type': 'text/html' }), 'artifact-checksum-mismatch html-page'],
    ['no bytes', () => gzipped(''), 'artifact-checksum-mismatch empty-file'],
    ['half of it', () => gzipped(fixture.live.artifact.subarray(0, 60)), 'artifact-checksum-mismatch truncated'],
    ['status 404', () => answer({ status: 404, headers: CORS, body: 'no' }), 'unreachable status-404'],
    ['a lost connection', () => reset(), 'unreachable reset'],
  ];
  checkCases(
    fixture,
    CASES.map(([name, bad, expected]): LiveCase => ({
      name,
      serve: () => fixture.live.serve('2.tar.gz', byMethod({ GET: inTurn(sound(), bad()), HEAD: bad() })),
      expect: [`error ${expected} (artifact 2.0.0)`],
    })),
  );

  test('the first response alone is a page', async () => {
    await checkCase(fixture, {
      serve: () => fixture.live.serve('2.tar.gz', byMethod({ GET: inTurn(gzipped(PAGE), sound()), HEAD: sound() })),
      expect: ['warning artifact-checksum-mismatch intermittent (artifact 2.0.0)'],
    });
  });
});

describe('a file that is refused from its third response on', () => {
  checkCases(
    fixture,
    FILES.map((file): LiveCase => ({
      name: file,
      serve: () => later(file, serving(file), serving(file), answer({ status: 403, headers: CORS, body: 'no' })),
      expect: [`error unreachable status-403 (${RESOURCES[file]})`],
    })),
  );
});

describe('a page by turns is one finding', () => {
  checkCases(
    fixture,
    FILES.map((file): LiveCase => ({
      name: file,
      serve: () => byTurns(file, serving(file), serving(file, PAGE, { 'Content-Type': 'text/html' })),
      expect: [`warning answers-differ intermittent (${RESOURCES[file]})`],
    })),
  );
});

describe('headers by turns', () => {
  const HEADERS: readonly (readonly [file: File, headers: Headers])[] = [
    ...FILES.flatMap((file): [File, Headers][] => [
      [file, { 'Access-Control-Allow-Origin': undefined }],
      [file, { 'Content-Type': 'text/plain' }],
    ]),
    ['a.json', { 'Cache-Control': 'max-age=31536000' }],
    ['a.svg', { 'Cross-Origin-Resource-Policy': 'same-origin' }],
  ];
  for (const [file, headers] of HEADERS)
    for (const isFirst of [true, false])
      test(`${file} with ${JSON.stringify(headers)} ${isFirst ? 'first' : 'second'}`, async () => {
        const [name] = Object.keys(headers);
        const both = [
          serving(file),
          serving(file, undefined, { ...headers, ...(headers[name!] === undefined ? { [name!]: undefined } : {}) }),
        ];
        const report = await checkCase(fixture, {
          serve: () => byTurns(file, ...(isFirst ? both.toReversed() : both)),
          expect: [`warning host-intermittent alternating-headers (${RESOURCES[file]})`],
        });
        const found = report.findings.find(({ rule }) => rule === 'host-intermittent');
        expect(found?.message).toContain(name);
      });
});

test('apps of a manifest that was replaced by another one during the run', async () => {
  const app = JSON.parse(fixture.manifest()).apps['app-a'];
  const both = { apps: { 'app-a': app, 'app-b': { ...app, name: 'App B' } } };
  const report = await checkCase(fixture, {
    serve: () => later('registry.json', serving('registry.json'), json(both)),
    expect: ['warning metadata-url-shared (manifest)'],
  });
  expect(report.summary.apps).toBe(2);
});

test('the attempts of a missing file are those that the host received', async () => {
  const report = await checkCase(fixture, {
    serve: () => fixture.live.serve('registry.json', answer({ status: 404, headers: CORS, body: 'no' })),
    expect: ['error unreachable status-404 (manifest)'],
  });
  const requests = fixture.host.requestsFor('/registry.json', 'GET').length;
  expect(report.findings.find(({ rule }) => rule === 'unreachable')?.evidence['attempts']).toBe(requests);
});
