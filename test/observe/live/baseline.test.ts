import { describe, expect, test } from 'vitest';
import type { Baseline, PublishedVersion } from '../../../src/core/facts/facts.ts';
import { baselineFromSnapshot } from '../../../src/observe/baseline/baseline.ts';
import { json } from '../../support/fault-host.ts';
import { archive, checksum, faults, gzipped } from '../../support/live-registry.ts';
import { liveFixture, verifyPatiently } from '../../support/live-fixture.ts';

/** A live registry compared with a baseline. */

const fixture = liveFixture();

/** The current listing with a change, as the baseline. */
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

describe('no finding is reported', () => {
  test('for an unchanged registry', async () => expect(await findingsAgainst(baselineWith())).toEqual([]));
  test('for a new version', async () => {
    const before = baselineWith((versions) => versions.splice(0, 1));
    expect(await findingsAgainst(before)).toEqual([]);
  });
  test('for another order and another form of a checksum', async () => {
    const before = baselineWith((versions) => {
      versions.reverse();
      versions[0]!.artifactChecksum = versions[0]!.artifactChecksum.toUpperCase();
    });
    expect(await findingsAgainst(before)).toEqual([]);
  });
  test('for a replaced placeholder', async () => {
    const before = baselineWith((versions) => void (versions[0]!.artifactChecksum = 'sha256:unknown'));
    expect(await findingsAgainst(before)).toEqual([]);
  });
  test('for another form of a URL', async () => {
    const before = baselineWith(
      (versions) => void (versions[0]!.artifactUrl = versions[0]!.artifactUrl.replace('https://', 'HTTPS://')),
    );
    expect(await findingsAgainst(before)).toEqual([]);
  });
  test('for a new app', async () => expect(await findingsAgainst(baselineWith(undefined, []))).toEqual([]));
});

describe('a finding is reported', () => {
  test('for a removed version', async () => {
    const before = baselineWith();
    withdraw('1.0.0');
    expect(await findingsAgainst(before)).toEqual(['error version-withdrawn (metadata 1.0.0)']);
  });
  test('for the newest version if it was removed', async () => {
    const before = baselineWith();
    withdraw('2.0.0');
    expect(await findingsAgainst(before)).toEqual(['error version-withdrawn newest (metadata 2.0.0)']);
  });
  test('for an artifact and checksum that were changed together', async () => {
    const before = baselineWith();
    const bytes = archive('export const version = "2, again";');
    fixture.live.serve('2.tar.gz', gzipped(bytes));
    fixture.live.versions[0]!.artifactChecksum = checksum(bytes);
    fixture.live.list();
    expect(await findingsAgainst(before)).toEqual(['error artifact-changed (metadata 2.0.0)']);
  });
  test('for a changed artifact with the same checksum', async () => {
    const before = baselineWith();
    fixture.serveArtifact(archive('export const version = "2, again";'));
    expect(await findingsAgainst(before)).toEqual(['error artifact-checksum-mismatch changed-since (artifact 2.0.0)']);
  });
  test('for a changed checksum with the same artifact', async () => {
    const before = baselineWith();
    fixture.live.versions[0]!.artifactChecksum = checksum(archive('never uploaded'));
    fixture.live.list();
    expect(await findingsAgainst(before)).toEqual(['error artifact-changed (metadata 2.0.0)']);
  });
  test('for a moved artifact', async () => {
    const before = baselineWith();
    fixture.live.versions[0]!.artifactUrl = fixture.host.on('/v2.tar.gz', gzipped(fixture.live.artifact));
    fixture.live.list();
    expect(await findingsAgainst(before)).toEqual(['warning artifact-moved (metadata 2.0.0)']);
  });
  test('for a removed app', async () => {
    expect(await findingsAgainst(baselineWith(undefined, ['app-a', 'app-b']))).toEqual([
      'warning app-withdrawn (manifest)',
    ]);
  });
  test('for a renamed app', async () => {
    expect(await findingsAgainst(baselineWith(undefined, ['app_a']))).toEqual([
      'warning app-withdrawn renamed (manifest)',
    ]);
  });
  test('for a new version with a far higher number', async () => {
    const before = baselineWith();
    const bytes = archive('export const version = 3;');
    const artifactUrl = fixture.host.on('/3.tar.gz', gzipped(bytes));
    fixture.live.versions.push({ version: '999999999.0.0', artifactUrl, artifactChecksum: checksum(bytes) });
    fixture.live.list();
    expect(await findingsAgainst(before)).toEqual(['warning version-number-too-large number (metadata 999999999.0.0)']);
  });
});

describe('the baseline', () => {
  test('is not compared with missing metadata, which is one error', async () => {
    const before = baselineWith();
    fixture.live.serve('a.json', json({ error: 'Not found' }));
    expect(await findingsAgainst(before)).toEqual(['error schema-violation error-message (metadata)']);
  });
  test('may be read from saved facts', async () => {
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
