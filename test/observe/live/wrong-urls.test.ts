import { describe } from 'vitest';
import { answer } from '../../support/fault-host.ts';
import { checkCases, liveFixture } from '../../support/live-fixture.ts';

/** A URL whose form shows that it is wrong is one error, whatever its host responds. */

const fixture = liveFixture();

const PAGE = answer({
  headers: { 'Content-Type': 'text/html' },
  body: '<!doctype html><title>Blob · main · me/registry</title>',
});

/** Replaces a URL of the manifest. */
function listed(from: string, to: string): void {
  fixture.serveManifest({}, fixture.manifest().replace(`/${from}"`, `/${to}"`));
}

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
