import { describe } from 'vitest';
import { answer, type Behaviour, byMethod, json, redirect } from '../../support/fault-host.ts';
import { checkCases, type LiveCase, liveFixture, type LivePath } from '../../support/live-fixture.ts';

/** A response that is not the file is one error, regardless of its headers. */

const fixture = liveFixture();

const serve = (path: LivePath, behaviour: Behaviour) => (): void => fixture.live.serve(path, behaviour);

const PAGE = '<!doctype html><html><head><title>404 Not Found</title></head><body>…</body></html>';

describe('a response that is not the file is one error', () => {
  const LOOSE = { 'Cache-Control': 'max-age=99999', ETag: '"x"' };
  const page = answer({ headers: { ...LOOSE, 'Content-Type': 'text/html' }, body: PAGE });
  const jsonError = (body: string): ReturnType<typeof answer> =>
    answer({ headers: { ...LOOSE, 'Content-Type': 'application/json' }, body });
  const error = '<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>';
  checkCases(fixture, [
    {
      name: 'a page for the manifest',
      serve: serve('registry.json', page),
      expect: ['error document-unreadable html-page (manifest)'],
    },
    {
      name: 'a page for metadata',
      serve: serve('a.json', page),
      expect: ['error document-unreadable html-page (metadata)'],
    },
    {
      name: 'a login page behind a redirect',
      serve: () => {
        fixture.host.on('/login', page);
        fixture.live.serve('a.json', redirect('/login', 301));
      },
      expect: ['error document-unreadable html-page (metadata)'],
    },
    {
      name: 'a login page on another host, for an icon',
      serve: () => {
        fixture.cdn.on('/login', page);
        fixture.live.serve('a.svg', redirect(`${fixture.cdn.origin}/login`));
      },
      expect: ['error icon-not-image html (icon)'],
    },
    {
      name: 'a page for an artifact',
      serve: serve('2.tar.gz', page),
      expect: ['error artifact-checksum-mismatch html-page (artifact 2.0.0)'],
    },
    ...['404: Not Found', 'Access denied.\n', '404 page not found\n'].map((body): LiveCase => ({
      name: `“${body.trim()}” with 200, for metadata`,
      serve: serve('a.json', answer({ headers: { 'Content-Type': 'text/plain' }, body })),
      expect: ['error document-unreadable text-message (metadata)'],
    })),
    {
      name: 'a store’s XML with 200, for metadata',
      serve: serve('a.json', answer({ headers: { 'Content-Type': 'application/xml' }, body: error })),
      expect: ['error document-unreadable xml-error (metadata)'],
    },
    {
      name: 'a store’s XML with 200, for an icon',
      serve: serve('a.svg', answer({ headers: { 'Content-Type': 'application/xml' }, body: error })),
      expect: ['error icon-not-image xml (icon)'],
    },
    {
      name: 'a store’s XML with 200, for an artifact',
      serve: serve('2.tar.gz', answer({ headers: { 'Content-Type': 'application/xml' }, body: error })),
      expect: ['error artifact-checksum-mismatch xml-error (artifact 2.0.0)'],
    },
    ...[
      '{"error":"not_found","reason":"missing"}',
      '{"error":{"code":404,"message":"No such object: b/r.json","errors":[]}}',
      '{"message":"Not Found","documentation_url":"https://docs.test","status":"404"}',
      '{"errors":[{"status":404,"message":"File not found."}]}',
      '{"type":"about:blank","title":"Not Found","status":404}',
    ].flatMap((body): LiveCase[] => [
      {
        name: `the manifest is ${body}`,
        serve: serve('registry.json', jsonError(body)),
        expect: ['error schema-violation error-message (manifest)'],
      },
      {
        name: `metadata is ${body}`,
        serve: serve('a.json', jsonError(body)),
        expect: ['error schema-violation error-message (metadata)'],
      },
    ]),
    {
      name: 'JSON with 200, for an artifact',
      serve: serve('2.tar.gz', jsonError('{"message":"Not Found"}')),
      expect: ['error artifact-checksum-mismatch json-error (artifact 2.0.0)'],
    },
    {
      name: 'JSON with 200, for an icon',
      serve: serve('a.svg', jsonError('{"message":"Not Found"}')),
      expect: ['error icon-not-image json (icon)'],
    },
    {
      name: 'the manifest in the place of metadata',
      serve: () => fixture.live.serve('a.json', json(fixture.manifest())),
      expect: ['error schema-violation manifest-file (metadata)'],
    },
    {
      name: 'metadata in the place of the manifest',
      serve: () => fixture.live.serve('registry.json', json(fixture.metadata())),
      expect: ['error schema-violation metadata-file (manifest)'],
    },
    // Two faults of the file itself stay two.
    {
      name: 'a trailing comma, and no CORS headers',
      serve: serve(
        'a.json',
        byMethod({
          GET: answer({
            headers: { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=300' },
            body: '{"versions":[],}',
          }),
        }),
      ),
      expect: ['error cors-missing absent (metadata)', 'error document-unreadable trailing-comma (metadata)'],
    },
  ]);
});
