import { describe, expect, test } from 'vitest';
import { checkCase, checkCases, liveFixture } from '../../support/live-fixture.ts';
import { checksum } from '../../support/live-registry.ts';
import { expectNoSecret } from '../../support/leaks.ts';
import { PLANTED } from '../../support/planted.ts';
import { entry, tgz } from '../../support/tar-builder.ts';

/** Artifacts whose content is scanned after they were published. */

const fixture = liveFixture();
const APP = entry('app.js', 'export {};\n');
const SCANNED = { scanContent: true };

function serve(bytes: Uint8Array): void {
  fixture.live.versions[0]!.artifactChecksum = checksum(bytes);
  fixture.live.list();
  fixture.serveArtifact(bytes);
}

describe('with --scan-content', () => {
  checkCases(fixture, [
    { name: 'nothing but the app', serve: () => serve(tgz(APP)), expect: [], options: SCANNED },
    {
      name: 'settings with values: too late for an error',
      serve: () => serve(tgz(APP, entry('.env', 'API_TOKEN=9b1f4c77d2e05a68\n'))),
      expect: ['warning artifact-secret (artifact 2.0.0)'],
      options: SCANNED,
    },
    {
      name: 'a repository of Git',
      serve: () => serve(tgz(APP, entry('.git/HEAD', 'ref: refs/heads/main\n'))),
      expect: ['warning artifact-leftover (artifact 2.0.0)'],
      options: SCANNED,
    },
  ]);

  test('one finding for several secrets, and no value of one', async () => {
    const files = PLANTED.slice(0, 6).map(({ text }, i) => entry(`lib/${i}.js`, text));
    const report = await checkCase(fixture, {
      serve: () => serve(tgz(APP, ...files)),
      expect: ['warning artifact-secret (artifact 2.0.0)'],
      options: SCANNED,
    });
    for (const { value } of PLANTED) expect(JSON.stringify(report)).not.toContain(value);
  });
});

test('without it, the rules are not judged, and say so', async () => {
  const report = await checkCase(fixture, {
    serve: () => serve(tgz(APP, entry('.env', 'API_TOKEN=9b1f4c77d2e05a68\n'))),
    expect: [],
  });
  const unscanned = report.notJudged.filter(({ code }) => code === 'content-not-scanned');
  expect(unscanned.map(({ rule, app }) => [rule, app])).toEqual([
    ['artifact-secret', null],
    ['artifact-leftover', null],
  ]);
});

test('a text with a secret in place of an icon is quoted without it', async () => {
  const token = PLANTED.find(({ kind }) => kind === 'github-token')!.value;
  const report = await checkCase(fixture, {
    serve: () => fixture.serveIcon(`git: no access with ${token}\n`, { 'Content-Type': 'text/plain' }),
    expect: ['error icon-not-image program-message (icon)'],
  });
  expect(report.findings.map(({ message }) => message).join()).toContain('“git: no access with REDACTED');
  expectNoSecret(JSON.stringify(report));
});
