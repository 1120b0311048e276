import { describe, expect, test } from 'vitest';
import { answer, type Behaviour, byMethod, CORS, json, openFaultHost, redirect } from '../../support/fault-host.ts';
import { checkCase, checkCases, liveFixture, type LivePath, verifyPatiently } from '../../support/live-fixture.ts';
import { ORIGIN, SVG } from '../../support/live-registry.ts';

/** Redirects: how many, where to, and what browsers need to follow them. */

const fixture = liveFixture();

const withOrigin = { origins: [ORIGIN] };

const serve = (path: LivePath, behaviour: Behaviour) => (): void => fixture.live.serve(path, behaviour);

describe('redirects', () => {
  checkCases(fixture, [
    {
      name: 'a loop',
      serve: () => fixture.live.serve('registry.json', redirect('/registry.json')),
      expect: ['error redirect-excessive loop (manifest)'],
    },
    {
      name: 'a loop with a cookie',
      serve: () => fixture.live.serve('registry.json', redirect('/registry.json', 302, { 'Set-Cookie': 'a=b' })),
      expect: ['error redirect-excessive loop-cookie (manifest)'],
    },
    {
      name: 'without Location',
      serve: () => fixture.live.serve('registry.json', redirect(null)),
      expect: ['error unreachable redirect-without-location (manifest)'],
    },
    {
      name: 'the other host allows the exact origin only',
      serve: () => {
        fixture.cdn.on(
          '/r.json',
          byMethod({ GET: json(fixture.manifest(), { 'Access-Control-Allow-Origin': ORIGIN }) }),
        );
        fixture.live.serve('registry.json', byMethod({ GET: redirect(`${fixture.cdn.origin}/r.json`, 302, CORS) }));
      },
      expect: ['error cors-origin-refused redirect-null-origin (manifest)'],
      options: withOrigin,
    },
    {
      name: 'the redirect itself lacks the header',
      serve: () => {
        fixture.cdn.on('/r.json', json(fixture.manifest()));
        fixture.live.serve('registry.json', byMethod({ GET: redirect(`${fixture.cdn.origin}/r.json`) }));
      },
      expect: ['error cors-missing absent-on-redirect (manifest)'],
      options: withOrigin,
    },
    {
      name: 'an icon that is led to a host without the header',
      serve: () => {
        fixture.cdn.on('/i.svg', answer({ headers: { 'Content-Type': 'image/svg+xml' }, body: SVG }));
        fixture.live.serve('a.svg', byMethod({ GET: redirect(`${fixture.cdn.origin}/i.svg`, 302, CORS) }));
      },
      expect: ['error cors-missing absent-after-redirect (icon)'],
    },
    {
      name: 'a preflight that is redirected',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({ GET: json(fixture.manifest()), OPTIONS: redirect('/x', 307, CORS) }),
        ),
      expect: ['warning cors-preflight-refused redirect (manifest)'],
    },
  ]);

  test('a redirect from https to http is one error', async () => {
    const plain = await openFaultHost();
    plain.on('/r.json', json(fixture.manifest()));
    await checkCase(fixture, {
      serve: () =>
        fixture.live.serve('registry.json', byMethod({ GET: redirect(`${plain.origin}/r.json`, 302, CORS) })),
      expect: ['error redirect-insecure (manifest)'],
    });
    await plain.close();
  });
});

describe('targets of redirects', () => {
  checkCases(fixture, [
    {
      name: 'the registry has moved permanently, on its host',
      serve: () => {
        fixture.host.on('/moved.json', json(fixture.manifest()));
        fixture.live.serve('registry.json', byMethod({ GET: redirect('/moved.json', 301, CORS) }));
      },
      expect: ['warning url-moved (manifest)'],
    },
    {
      name: 'the registry has moved permanently, to another host',
      serve: () => {
        fixture.cdn.on('/moved.json', json(fixture.manifest()));
        fixture.live.serve('registry.json', byMethod({ GET: redirect(`${fixture.cdn.origin}/moved.json`, 308, CORS) }));
      },
      expect: ['warning url-moved (manifest)'],
    },
    {
      name: 'metadata that has moved permanently: a note',
      serve: () => {
        fixture.host.on('/moved.json', json(fixture.metadata()));
        fixture.live.serve('a.json', byMethod({ GET: redirect('/moved.json', 301, CORS) }));
      },
      expect: [],
    },
    {
      name: 'six redirects',
      serve: () => {
        for (let i = 1; i <= 5; i += 1) fixture.host.on(`/hop${i}`, redirect(`/hop${i + 1}`, 301, CORS));
        fixture.host.on('/hop6', json(fixture.manifest()));
        fixture.live.serve('registry.json', redirect('/hop1', 302, CORS));
      },
      expect: ['error redirect-excessive too-many (manifest)'],
    },
    {
      name: 'a cookie that has to be sent back, in two steps',
      serve: () => {
        fixture.host.on('/check', redirect('/a.json', 302, { 'Set-Cookie': 'x=1' }));
        fixture.live.serve('a.json', redirect('/check'));
      },
      expect: ['error redirect-excessive loop-cookie (metadata)'],
    },
    {
      name: 'credentials in Location',
      serve: () => fixture.live.serve('registry.json', redirect(`https://user:pw@127.0.0.1:${fixture.host.port}/x`)),
      expect: ['error unreachable redirect-credentials (manifest)'],
    },
    {
      name: 'to another scheme',
      serve: serve('registry.json', redirect('ftp://x.test/a')),
      expect: ['error unreachable redirect-malformed (manifest)'],
    },
    {
      name: 'to nothing',
      serve: serve('a.json', redirect('/gone', 301)),
      expect: ['error unreachable status-404 (metadata)'],
    },
  ]);
});

test('the advice after a redirect to another host is the wildcard, since browsers send Origin: null', async () => {
  const to = `${fixture.cdn.origin}/i.svg`;
  fixture.live.serve('a.svg', byMethod({ GET: redirect(to, 302, CORS) }));
  for (const value of [null, `${ORIGIN}/`]) {
    const allow: Record<string, string> = value === null ? {} : { 'Access-Control-Allow-Origin': value };
    fixture.cdn.on('/i.svg', answer({ headers: { 'Content-Type': 'image/svg+xml', ...allow }, body: SVG }));
    const { report } = await verifyPatiently(fixture.live.url, { origins: [ORIGIN] });
    const found = report.findings.filter((f) => f.resource === 'icon' && f.severity === 'error');
    expect(found).toHaveLength(1);
    expect(found[0]!.advice).toContain('Access-Control-Allow-Origin: *');
    expect(found[0]!.advice).not.toContain(ORIGIN);
  }
});
