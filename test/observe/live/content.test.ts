import { describe, expect, test } from 'vitest';
import type { Report } from '../../../src/core/findings/report.ts';
import { digestArtifact } from '../../../src/observe/archive/digest-artifact.ts';
import { InspectionLost } from '../../../src/observe/archive/digest-thread.ts';
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

const reasonsOf = (report: Report, rule: string): (string | undefined)[] =>
  report.notJudged.filter((entry) => entry.rule === rule).map(({ code }) => code);
const lost = (): Promise<never> => Promise.reject(new InspectionLost('ended'));

describe('a scan that ends at its limits', () => {
  const token = PLANTED.find(({ kind }) => kind === 'github-token')?.text ?? '';

  test('is not judged, and says why, if it took too long', async () => {
    const report = await checkCase(fixture, {
      serve: () => serve(tgz(APP, entry('lib/a.js', 'ghp_'.repeat(10_000)), entry('lib/b.js', token))),
      expect: [],
      options: { ...SCANNED, scanLimits: { milliseconds: 0, secrets: 1000 } },
    });
    expect(reasonsOf(report, 'artifact-secret')).toEqual(['content-scan-stopped']);
    expect(reasonsOf(report, 'artifact-leftover')).toEqual(['content-scan-stopped']);
  });

  test('reports what it found, and does not judge the rest', async () => {
    const files = PLANTED.slice(0, 6).map(({ text }, i) => entry(`lib/${i}.js`, text));
    const report = await checkCase(fixture, {
      serve: () => serve(tgz(APP, ...files)),
      expect: ['warning artifact-secret (artifact 2.0.0)'],
      options: { ...SCANNED, scanLimits: { milliseconds: Infinity, secrets: 2 } },
    });
    expect(report.findings.find(({ rule }) => rule === 'artifact-secret')?.message).toContain('at least 2 secrets');
    expect(reasonsOf(report, 'artifact-leftover')).toEqual(['content-scan-stopped']);
  });
});

test('an artifact that ended its worker is read again without a scan', async () => {
  let opened = 0;
  const scans: boolean[] = [];
  const report = await checkCase(fixture, {
    serve: () => serve(tgz(APP)),
    expect: [],
    options: {
      ...SCANNED,
      versions: 'latest',
      digestWorkers: {
        open(task) {
          opened += 1;
          scans.push(task.scan !== null);
          const inspection = digestArtifact(task);
          return opened > 1 ? inspection : { ...inspection, end: lost };
        },
      },
    },
  });
  expect(scans).toEqual([true, false]);
  expect(report.notJudged.filter(({ code }) => code === 'content-scan-stopped').map(({ rule }) => rule)).toEqual([
    'artifact-secret',
    'artifact-leftover',
  ]);
});

test('an artifact that ends its worker twice is left to the next check', async () => {
  const report = await checkCase(fixture, {
    serve: () => serve(tgz(APP)),
    expect: [],
    options: { ...SCANNED, digestWorkers: { open: (task) => ({ ...digestArtifact(task), end: lost }) } },
  });
  expect(report.notJudged.map(({ code }) => code)).toContain('over-budget');
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
