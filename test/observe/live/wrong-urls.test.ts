import { describe } from 'vitest';
import { answer, json } from '../../support/fault-host.ts';
import { checkCases, liveFixture } from '../../support/live-fixture.ts';
import { archive, checksum, gzipped } from '../../support/live-registry.ts';

/** A URL whose form shows that it is wrong is one error, whatever its host responds; that of another app is named. */

const fixture = liveFixture();

const PAGE = answer({
  headers: { 'Content-Type': 'text/html' },
  body: '<!doctype html><title>Blob · main · me/registry</title>',
});

/** Replaces a URL of the manifest. */
function listed(from: string, to: string): void {
  fixture.serveManifest({}, fixture.manifest().replace(`/${from}"`, `/${to}"`));
}

describe('two apps', () => {
  /** Serves “app-a” and “app-b”, each with one version. @param versions by app: the path of the artifact, and its bytes */
  function serveApps(
    versions: Record<string, { path: string; listed: Buffer }>,
    metadata: Record<string, string> = { 'app-a': 'app-a.json', 'app-b': 'app-b.json' },
  ): void {
    const { origin } = fixture.host;
    const { apps } = JSON.parse(fixture.manifest()) as { apps: Record<string, object> };
    const entry = apps['app-a'];
    const entries = Object.entries(metadata).map(([key, path]) => [
      key,
      { ...entry, appMetadataUrl: `${origin}/${path}` },
    ]);
    fixture.serveManifest({}, JSON.stringify({ apps: Object.fromEntries(entries) }));
    for (const [key, { path, listed }] of Object.entries(versions)) {
      const version = { version: '1.0.0', artifactUrl: `${origin}/${path}`, artifactChecksum: checksum(listed) };
      fixture.host.on(`/${metadata[key]}`, json({ versions: [version] }));
    }
    fixture.host.on('/app-a-1.0.0.tar.gz', gzipped(A));
    fixture.host.on('/app-b-1.0.0.tar.gz', gzipped(B));
  }
  const [A, B] = [archive('a'), archive('b')];

  checkCases(fixture, [
    {
      name: 'as they should be',
      serve: () =>
        serveApps({
          'app-a': { path: 'app-a-1.0.0.tar.gz', listed: A },
          'app-b': { path: 'app-b-1.0.0.tar.gz', listed: B },
        }),
      expect: [],
    },
    {
      name: 'whose artifact URLs are swapped',
      serve: () =>
        serveApps({
          'app-a': { path: 'app-b-1.0.0.tar.gz', listed: A },
          'app-b': { path: 'app-a-1.0.0.tar.gz', listed: B },
        }),
      expect: [
        'error artifact-checksum-mismatch other-apps-artifact (artifact 1.0.0)',
        'error artifact-checksum-mismatch other-apps-artifact (artifact 1.0.0)',
      ],
    },
    {
      name: 'of which one has a copy of the metadata of the other',
      serve: () =>
        serveApps({
          'app-a': { path: 'app-a-1.0.0.tar.gz', listed: A },
          'app-b': { path: 'app-a-1.0.0.tar.gz', listed: A },
        }),
      expect: ['warning version-of-other-app copy (metadata)'],
    },
    {
      name: 'whose metadata files are swapped',
      serve: () =>
        serveApps(
          {
            'app-a': { path: 'app-b-1.0.0.tar.gz', listed: B },
            'app-b': { path: 'app-a-1.0.0.tar.gz', listed: A },
          },
          { 'app-a': 'app-b.json', 'app-b': 'app-a.json' },
        ),
      expect: ['warning url-of-other-app metadata (manifest)', 'warning url-of-other-app metadata (manifest)'],
    },
  ]);
});

describe('a URL that is wrong by its form', () => {
  checkCases(fixture, [
    {
      name: 'a page for metadata',
      serve: () => {
        listed('a.json', 'me/registry/-/blob/main/a.json');
        fixture.host.on('/me/registry/-/blob/main/a.json', PAGE);
      },
      expect: ['error url-of-page file (metadata)'],
    },
    {
      name: 'a page for an icon',
      serve: () => {
        listed('a.svg', 'me/registry/-/blob/main/a.svg');
        fixture.host.on('/me/registry/-/blob/main/a.svg', PAGE);
      },
      expect: ['error url-of-page file (icon)'],
    },
    {
      name: 'a page for an artifact',
      serve: () => {
        fixture.live.versions[0]!.artifactUrl = `${fixture.host.origin}/me/a/releases/tag/v2.0.0`;
        fixture.live.list();
        fixture.host.on('/me/a/releases/tag/v2.0.0', PAGE);
      },
      expect: ['error url-of-page release (artifact 2.0.0)'],
    },
    {
      name: 'a page that does not exist',
      serve: () => listed('a.json', 'me/registry/-/blob/main/a.json'),
      expect: ['error url-of-page file (metadata)'],
    },
    {
      name: 'a variable for metadata',
      serve: () => listed('a.json', '${APP}.json'),
      expect: ['error url-placeholder template (metadata)'],
    },
    {
      name: 'a variable for an icon',
      serve: () => listed('a.svg', '{key}.svg'),
      expect: ['error url-placeholder template (icon)'],
    },
    {
      name: 'the same variable for two artifacts',
      serve: () => {
        for (const version of fixture.live.versions)
          version.artifactUrl = `${fixture.host.origin}/app-__VERSION__.tar.gz`;
        fixture.live.list();
      },
      expect: ['error url-placeholder template (artifact 1.0.0)', 'error url-placeholder template (artifact 2.0.0)'],
    },
    {
      name: 'a missing value',
      serve: () => {
        fixture.live.versions[0]!.artifactUrl = `${fixture.host.origin}/app-undefined.tar.gz`;
        fixture.live.list();
      },
      expect: ['error unreachable status-404 (artifact 2.0.0)', 'error url-placeholder value (artifact 2.0.0)'],
    },
  ]);
});
