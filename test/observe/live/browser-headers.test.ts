import { gzipSync } from 'node:zlib';
import { describe } from 'vitest';
import { answer, type Behaviour, byMethod, CORS, GOOD_JSON } from '../../support/fault-host.ts';
import { byRequest, checkCases, type LiveCase, liveFixture } from '../../support/live-fixture.ts';
import { ORIGIN, SVG } from '../../support/live-registry.ts';

/** Headers and pages that only browsers get: with Origin, with Sec-Fetch headers, or compressed. */

const fixture = liveFixture();

type Headers = Record<string, string>;
/** The requests of browsers that a host answers otherwise. */
const CLIENTS: Readonly<Record<string, (headers: Headers) => boolean>> = {
  Origin: (headers) => headers['origin'] !== undefined,
  'Sec-Fetch': (headers) => headers['sec-fetch-site'] !== undefined,
  'a browser’s name': (headers) => /Mozilla/.test(headers['user-agent'] ?? ''),
};

const get = (headers: Headers, body: string | Uint8Array): Behaviour => byMethod({ GET: answer({ headers, body }) });

const toClients = (
  path: 'registry.json' | 'a.json' | 'a.svg',
  isClient: (headers: Headers) => boolean,
  other: Headers,
  otherBody?: string,
): void => {
  const body = { 'registry.json': fixture.manifest(), 'a.json': fixture.metadata(), 'a.svg': SVG }[path];
  const own = path === 'a.svg' ? { ...CORS, 'Content-Type': 'image/svg+xml' } : GOOD_JSON;
  fixture.live.serve(
    path,
    byRequest(({ headers }) => (isClient(headers) ? get({ ...own, ...other }, otherBody ?? body) : get(own, body))),
  );
};

const gzipCopy = (path: 'a.json' | 'a.svg', type: string): void => {
  const body = path === 'a.svg' ? SVG : fixture.metadata();
  const own = path === 'a.svg' ? { ...CORS, 'Content-Type': 'image/svg+xml' } : GOOD_JSON;
  const copy = { ...own, 'Content-Type': type, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' };
  fixture.live.serve(
    path,
    byRequest(({ headers }) =>
      /gzip/.test(headers['accept-encoding'] ?? '') ? get(copy, gzipSync(body)) : get(own, body),
    ),
  );
};

const YEAR = { 'Cache-Control': 'public, max-age=31536000' };

describe('headers that only browsers get', () => {
  checkCases(fixture, [
    ...['application/x-gzip', 'application/octet-stream', 'text/plain'].map((type): LiveCase => ({
      name: `an SVG whose compressed copy has the type ${type}`,
      serve: () => gzipCopy('a.svg', type),
      expect: ['error icon-type-wrong svg-type (icon)'],
    })),
    {
      name: 'a JSON file whose compressed copy has the type of gzip',
      serve: () => gzipCopy('a.json', 'application/x-gzip'),
      expect: ['warning content-type-wrong not-json (metadata)'],
    },
    ...Object.entries(CLIENTS).flatMap(([client, isClient]): LiveCase[] => [
      {
        name: `an icon as text, with ${client}`,
        serve: () => toClients('a.svg', isClient, { 'Content-Type': 'text/plain', Vary: '*' }),
        expect: ['error icon-type-wrong svg-type (icon)'],
      },
      {
        name: `a JSON file as text, with ${client}`,
        serve: () => toClients('a.json', isClient, { 'Content-Type': 'text/plain' }),
        expect: ['warning content-type-wrong not-json (metadata)'],
      },
      {
        name: `a manifest that is stored for a year, with ${client}`,
        serve: () => toClients('registry.json', isClient, YEAR),
        expect: ['warning cache-lifetime-long long (manifest)'],
      },
    ]),
    {
      name: 'a policy that only an <img> gets',
      serve: () =>
        toClients('a.svg', (headers) => headers['sec-fetch-mode'] === 'no-cors', {
          'Cross-Origin-Resource-Policy': 'same-origin',
        }),
      expect: ['error icon-embedding-refused same-origin (icon)'],
    },
    {
      name: 'a policy that only servers get',
      serve: () =>
        toClients('a.svg', (headers) => headers['sec-fetch-mode'] === undefined, {
          'Cross-Origin-Resource-Policy': 'same-origin',
        }),
      expect: [],
    },
    {
      name: 'a type that only servers get',
      serve: () =>
        toClients('a.svg', (headers) => headers['user-agent']?.includes('Mozilla') !== true, {
          'Content-Type': 'text/plain',
        }),
      expect: [],
    },
  ]);
});

describe('pages that only browsers get', () => {
  const PAGE = '<!doctype html><title>Checking your browser</title>';
  const CAUSES: Readonly<Record<string, string>> = {
    Origin: 'origin',
    'Sec-Fetch': 'fetch-metadata',
    'a browser’s name': 'agent',
  };
  checkCases(
    fixture,
    Object.entries(CLIENTS).flatMap(([client, isClient]) =>
      (['registry.json', 'a.json', 'a.svg'] as const).flatMap((path): LiveCase[] => [
        {
          name: `a page instead of ${path}, with ${client}`,
          serve: () => toClients(path, isClient, { 'Content-Type': 'text/html' }, PAGE),
          expect: [`error browser-refused ${CAUSES[client]} (${RESOURCES[path]})`],
        },
        {
          name: `a page without CORS instead of ${path}, with ${client}`,
          serve: () => {
            const body = { 'registry.json': fixture.manifest(), 'a.json': fixture.metadata(), 'a.svg': SVG }[path];
            const own = path === 'a.svg' ? { ...CORS, 'Content-Type': 'image/svg+xml' } : GOOD_JSON;
            const page = get({ 'Content-Type': 'text/html' }, PAGE);
            fixture.live.serve(
              path,
              byRequest(({ headers }) => (isClient(headers) ? page : get(own, body))),
            );
          },
          expect: [`error browser-refused ${CAUSES[client]} (${RESOURCES[path]})`],
        },
        {
          name: `nothing instead of ${path}, with ${client}`,
          serve: () => toClients(path, isClient, {}, ''),
          expect: [`error browser-refused ${CAUSES[client]} (${RESOURCES[path]})`],
          options: { origins: [ORIGIN] },
        },
      ]),
    ),
  );
});

const RESOURCES = { 'registry.json': 'manifest', 'a.json': 'metadata', 'a.svg': 'icon' } as const;
