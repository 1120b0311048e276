import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { certificates } from '../support/fault-certificates.ts';
import { answer, byMethod, CORS, type FaultHost, json, openFaultHost, redirect } from '../support/fault-host.ts';
import { faults, type Live, ORIGIN, putRegistry, SVG, verified } from '../support/live-registry.ts';

/** URLs with a fragment: it is never sent, and URLs that differ only in it are requested once (Fetch, "request URL"). */

let host: FaultHost;
let live: Live;
beforeAll(async () => {
  host = await openFaultHost({ tls: certificates().get('good') });
});
afterAll(() => host.close());
beforeEach(() => {
  live = putRegistry(host);
  host.requests.length = 0;
});

const SPRITE = answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG });

/** Lists two apps, with these fragments behind the URLs of the icon, the metadata file and the artifact. */
function listApps(icons: readonly string[], metadata = ['', ''], artifact = ''): void {
  host.on('/sprite.svg', byMethod({ GET: SPRITE }));
  const apps = icons.map((fragment, i) => [
    `app-${i}`,
    {
      name: `App ${i}`,
      description: 'Does something.',
      blockStyle: { iconUrl: `${host.origin}/sprite.svg${fragment}`, color: '#336699' },
      appMetadataUrl: `${host.origin}/${i}.json${metadata[i]}`,
    },
  ]);
  for (const [i] of icons.entries()) {
    const versions = live.versions.map((one) => ({ ...one, artifactUrl: one.artifactUrl + artifact }));
    host.on(`/${i}.json`, json({ versions }));
  }
  live.serve('registry.json', json({ apps: Object.fromEntries(apps) }));
}

const requests = (path: string): string[] =>
  host.requests
    .filter((one) => one.path === path)
    .map(({ method, headers }) => `${method} ${headers['origin'] ?? '-'}`);

describe('the fragment of a URL', () => {
  test('is valid for an icon, without findings', async () => {
    listApps(['#clock', '#mail']);
    const { report } = await verified(live.url, { origins: [ORIGIN] });
    expect(faults(report)).toEqual([]);
    expect(report.symptoms.map(({ status }) => status)).toEqual(['clear', 'clear', 'clear', 'clear']);
  });

  test('is not sent to the host', async () => {
    listApps(['#clock', '#svgView(viewBox(0,0,4,4))'], ['#a', '#b'], '#c');
    await verified(`${live.url}#top`, { origins: [ORIGIN] });
    expect(host.requests.length).toBeGreaterThan(8);
    expect(host.requests.filter(({ path }) => /#|%23|clock|viewBox/i.test(path))).toEqual([]);
  });

  test('does not distinguish resources, so two apps share one request', async () => {
    listApps(['']);
    await verified(live.url, { origins: [ORIGIN] });
    const once = requests('/sprite.svg').toSorted();
    host.requests.length = 0;
    listApps(['#clock', '#mail']);
    const { apps } = await verified(live.url, { origins: [ORIGIN] });
    expect(requests('/sprite.svg').toSorted()).toEqual(once);
    expect(once).toContain('GET -');
    expect(apps.map(({ icon }) => icon.url)).toEqual(
      ['#clock', '#mail'].map((part) => `${host.origin}/sprite.svg${part}`),
    );
  });

  test('does not distinguish resources, so a fault of a shared file is one finding with both apps', async () => {
    listApps(['#clock', '#mail']);
    host.on(
      '/sprite.svg',
      byMethod({ GET: answer({ headers: { 'Content-Type': 'text/plain', ...CORS }, body: SVG }) }),
    );
    const { report } = await verified(live.url, { origins: [ORIGIN] });
    const found = report.findings.filter(({ severity }) => severity === 'error');
    expect(found.map(({ rule, app, evidence }) => [rule, app, evidence['alsoApps']])).toEqual([
      ['icon-type-wrong', 'app-0', ['app-1']],
    ]);
  });

  test('is a warning for a metadata file and an artifact, which are fetched', async () => {
    listApps(['', ''], ['#a', ''], '#c');
    const { report } = await verified(live.url, { origins: [ORIGIN] });
    expect(faults(report).filter((fault) => !fault.startsWith('warning url-unusual fragment'))).toEqual([]);
    expect(faults(report)).toContain('warning url-unusual fragment (metadata)');
    expect(report.apps.map(({ visible }) => visible)).toEqual([true, true]);
    expect(report.summary.artifacts).toBe(4);
  });

  test('in a Location header is not sent', async () => {
    listApps(['#clock']);
    host.on('/sprite.svg', byMethod({ GET: redirect(`${host.origin}/other.svg#mail`, 302, CORS) }));
    host.on('/other.svg', byMethod({ GET: SPRITE }));
    const { report } = await verified(live.url, { origins: [ORIGIN] });
    expect(requests('/other.svg').length).toBeGreaterThan(0);
    expect(faults(report)).toEqual([]);
  });
});
