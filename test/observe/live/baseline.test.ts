import { describe, expect, test } from 'vitest';
import type { Baseline, PublishedVersion } from '../../../src/core/facts/facts.ts';
import { baselineFromSnapshot } from '../../../src/observe/baseline/baseline.ts';
import { json } from '../../support/fault-host.ts';
import { archive, checksum, faults, gzipped } from '../../support/live-registry.ts';
import { liveFixture, verifyPatiently } from '../../support/live-fixture.ts';

/** A live registry compared with what had been published. */

const fixture = liveFixture();

/** What is listed now, as the baseline, with a change. */
function baselineWith(change: (versions: PublishedVersion[]) => void = () => {}, keys = ['app-a']): Baseline {
  const versions = fixture.live.versions.map((version) => ({ ...version }));
  change(versions);
  return { source: 'last week', keys, app: (key) => (keys.includes(key) ? versions : null) };
}
async function findingsAgainst(before: Baseline): Promise<string[]> {
  return faults((await verifyPatiently(fixture.live.url, { before })).report).sort();
}
const withdraw = (version: string): void => {
  fixture.live.versions = fixture.live.versions.filter((entry) => entry.version !== version);
  fixture.live.list();
};

describe('no findings', () => {
  test('nothing has changed', async () => expect(await findingsAgainst(baselineWith())).toEqual([]));
  test('a new version', async () => {
    const before = baselineWith((versions) => versions.splice(0, 1));
    expect(await findingsAgainst(before)).toEqual([]);
  });
  test('another order, and another form of a checksum', async () => {
    const before = baselineWith((versions) => {
      versions.reverse();
      versions[0]!.artifactChecksum = versions[0]!.artifactChecksum.toUpperCase();
    });
    expect(await findingsAgainst(before)).toEqual([]);
  });
  test('a placeholder was replaced', async () => {
    const before = baselineWith((versions) => void (versions[0]!.artifactChecksum = 'sha256:unknown'));
    expect(await findingsAgainst(before)).toEqual([]);
  });
  test('another form of a URL', async () => {
    const before = baselineWith(
      (versions) => void (versions[0]!.artifactUrl = versions[0]!.artifactUrl.replace('https://', 'HTTPS://')),
    );
    expect(await findingsAgainst(before)).toEqual([]);
  });
  test('a new app', async () => expect(await findingsAgainst(baselineWith(undefined, []))).toEqual([]));
});

describe('what may never change', () => {
  test('a version was removed', async () => {
    const before = baselineWith();
    withdraw('1.0.0');
    expect(await findingsAgainst(before)).toEqual(['error version-withdrawn (metadata 1.0.0)']);
  });
  test('the newest version was removed', async () => {
    const before = baselineWith();
    withdraw('2.0.0');
    expect(await findingsAgainst(before)).toEqual(['error version-withdrawn newest (metadata 2.0.0)']);
  });
  test('the artifact and its checksum have changed together', async () => {
    const before = baselineWith();
    const bytes = archive('export const version = "2, again";');
    fixture.live.serve('2.tar.gz', gzipped(bytes));
    fixture.live.versions[0]!.artifactChecksum = checksum(bytes);
    fixture.live.list();
    expect(await findingsAgainst(before)).toEqual(['error artifact-changed (metadata 2.0.0)']);
  });
  test('the artifact has changed, and its checksum has not', async () => {
    const before = baselineWith();
    fixture.serveArtifact(archive('export const version = "2, again";'));
    expect(await findingsAgainst(before)).toEqual(['error artifact-checksum-mismatch changed-since (artifact 2.0.0)']);
  });
  test('the checksum has changed, and the artifact has not', async () => {
    const before = baselineWith();
    fixture.live.versions[0]!.artifactChecksum = checksum(archive('never uploaded'));
    fixture.live.list();
    expect(await findingsAgainst(before)).toEqual(['error artifact-changed (metadata 2.0.0)']);
  });
  test('the artifact was moved', async () => {
    const before = baselineWith();
    fixture.live.versions[0]!.artifactUrl = fixture.host.on('/v2.tar.gz', gzipped(fixture.live.artifact));
    fixture.live.list();
    expect(await findingsAgainst(before)).toEqual(['warning artifact-moved (metadata 2.0.0)']);
  });
  test('an app was removed', async () => {
    expect(await findingsAgainst(baselineWith(undefined, ['app-a', 'app-b']))).toEqual([
      'warning app-withdrawn (manifest)',
    ]);
  });
  test('an app was renamed', async () => {
    expect(await findingsAgainst(baselineWith(undefined, ['app_a']))).toEqual([
      'warning app-withdrawn renamed (manifest)',
    ]);
  });
  test('a new version with a far higher number', async () => {
    const before = baselineWith();
    const bytes = archive('export const version = 3;');
    const artifactUrl = fixture.host.on('/3.tar.gz', gzipped(bytes));
    fixture.live.versions.push({ version: '999999999.0.0', artifactUrl, artifactChecksum: checksum(bytes) });
    fixture.live.list();
    expect(await findingsAgainst(before)).toEqual(['warning version-number-too-large number (metadata 999999999.0.0)']);
  });
});

describe('what cannot be compared is not judged', () => {
  test('the metadata is missing: one error, and no version is reported as withdrawn', async () => {
    const before = baselineWith();
    fixture.live.serve('a.json', json({ error: 'Not found' }));
    expect(await findingsAgainst(before)).toEqual(['error schema-violation error-message (metadata)']);
  });
  test('the baseline is read from saved facts', async () => {
    const seen = await verifyPatiently(fixture.live.url);
    const before = baselineFromSnapshot(
      {
        snapshot: 1,
        target: fixture.live.url,
        seenAt: new Date().toISOString(),
        origins: [],
        manifest: seen.manifest,
        apps: seen.apps,
        orphans: [],
      },
      'facts.json',
    );
    withdraw('2.0.0');
    expect(await findingsAgainst(before)).toEqual(['error version-withdrawn newest (metadata 2.0.0)']);
  });
});
