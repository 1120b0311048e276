import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe } from 'vitest';
import { answer, byMethod, CORS, GOOD_JSON, json, redirect } from '../../support/fault-host.ts';
import { byOrigin, checkCases, liveFixture } from '../../support/live-fixture.ts';
import { gzipped, ORIGIN, SVG } from '../../support/live-registry.ts';

/** Correct registries in unusual forms: no errors and no warnings. */

const fixture = liveFixture();

const withOrigin = { origins: [ORIGIN] };

const allowing = (origin: string): Record<string, string> => ({ ...GOOD_JSON, 'Access-Control-Allow-Origin': origin });

describe('a correct registry has no findings', () => {
  checkCases(fixture, [
    { name: 'as it is', serve: () => {}, expect: [] },
    { name: 'with the service’s origin', serve: () => {}, expect: [], options: withOrigin },
    {
      name: 'the origin is echoed, with Vary',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byOrigin((origin, { method }) =>
            method === 'OPTIONS'
              ? answer({ status: 204, headers: { ...allowing(origin ?? '*'), 'Access-Control-Allow-Headers': '*' } })
              : answer({
                  headers: { ...allowing(origin ?? ORIGIN), Vary: 'Accept-Encoding, origin' },
                  body: fixture.manifest(),
                }),
          ),
        ),
      expect: [],
      options: withOrigin,
    },
    {
      name: 'one origin always',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: answer({ headers: allowing(ORIGIN), body: fixture.manifest() }),
            OPTIONS: answer({
              status: 204,
              headers: { ...allowing(ORIGIN), 'Access-Control-Allow-Headers': 'X-Appreg-Probe' },
            }),
          }),
        ),
      expect: [],
      options: withOrigin,
    },
    {
      name: 'a wildcard with white space around it',
      serve: () =>
        fixture.live.serve('registry.json', json(fixture.manifest(), { 'Access-Control-Allow-Origin': '\t* ' })),
      expect: [],
    },
    {
      name: 'a redirect on the same host',
      serve: () => {
        fixture.host.on('/moved.json', json(fixture.manifest()));
        fixture.live.serve('registry.json', byMethod({ GET: redirect('/moved.json', 302, CORS) }));
      },
      expect: [],
    },
    {
      name: 'a redirect to another host, * on both',
      serve: () => {
        fixture.cdn.on('/r.json', json(fixture.manifest()));
        fixture.live.serve('registry.json', byMethod({ GET: redirect(`${fixture.cdn.origin}/r.json`, 302, CORS) }));
      },
      expect: [],
      options: withOrigin,
    },
    {
      name: 'JSON compressed for all',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: answer({
              headers: { ...GOOD_JSON, 'Content-Encoding': 'x-gzip' },
              body: gzipSync(fixture.manifest()),
            }),
          }),
        ),
      expect: [],
    },
    {
      name: 'JSON in br',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: answer({
              headers: { ...GOOD_JSON, 'Content-Encoding': 'BR' },
              body: brotliCompressSync(fixture.manifest()),
            }),
          }),
        ),
      expect: [],
    },
    {
      name: 'JSON in deflate',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: answer({
              headers: { ...GOOD_JSON, 'Content-Encoding': 'deflate' },
              body: deflateSync(fixture.manifest()),
            }),
          }),
        ),
      expect: [],
    },
    {
      name: 'Content-Encoding: identity',
      serve: () => fixture.live.serve('2.tar.gz', gzipped(fixture.live.artifact, { 'Content-Encoding': 'identity' })),
      expect: [],
    },
    {
      name: 'artifacts without CORS, behind a redirect, HEAD refused to the signed link',
      serve: () => {
        fixture.cdn.on(
          '/asset',
          byMethod({
            GET: answer({ headers: { 'Content-Type': 'application/octet-stream' }, body: fixture.live.artifact }),
            HEAD: answer({ status: 403 }),
          }),
        );
        fixture.live.serve('2.tar.gz', redirect(`${fixture.cdn.origin}/asset?X-Amz-Signature=abc`));
      },
      expect: [],
    },
    {
      name: 'a vendor type of JSON with a charset',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          json(fixture.manifest(), { 'Content-Type': 'application/vnd.registry+json; charset=UTF-8' }),
        ),
      expect: [],
    },
    {
      name: 'no-store',
      serve: () => fixture.live.serve('registry.json', json(fixture.manifest(), { 'Cache-Control': 'no-store' })),
      expect: [],
    },
    {
      name: 'no-cache beside a long lifetime',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          json(fixture.manifest(), { 'Cache-Control': 'no-cache, max-age=31536000' }),
        ),
      expect: [],
    },
    {
      name: 'max-age=0 and an old Age',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          json(fixture.manifest(), { 'Cache-Control': 'public, max-age=0, must-revalidate', Age: '90000' }),
        ),
      expect: [],
    },
    {
      name: 'artifacts that are immutable for a year',
      serve: () =>
        fixture.live.serve(
          '2.tar.gz',
          gzipped(fixture.live.artifact, { 'Cache-Control': 'public, max-age=31536000, immutable' }),
        ),
      expect: [],
    },
    {
      name: 'an artifact without a length',
      serve: () =>
        fixture.live.serve(
          '2.tar.gz',
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'application/gzip', ...CORS },
              body: fixture.live.artifact,
              length: null,
            }),
          }),
        ),
      expect: [],
    },
    {
      name: 'ranges answered in full',
      serve: () => fixture.live.serve('2.tar.gz', gzipped(fixture.live.artifact, { 'Accept-Ranges': 'none' })),
      expect: [],
    },
    {
      name: 'a preflight that names the header in upper case, without methods',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: json(fixture.manifest()),
            OPTIONS: answer({ headers: { ...CORS, 'Access-Control-Allow-Headers': 'Content-Type, X-APPREG-PROBE' } }),
          }),
        ),
      expect: [],
    },
    {
      name: 'same-site icons for a service at the same site',
      serve: () =>
        fixture.live.serve(
          'a.svg',
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'image/svg+xml', ...CORS, 'Cross-Origin-Resource-Policy': 'cross-origin' },
              body: SVG,
            }),
          }),
        ),
      expect: [],
    },
  ]);
});
