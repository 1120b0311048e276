import { describe, expect, test } from 'vitest';
import type { Baseline, PublishedVersion } from '../../src/core/facts/facts.ts';
import { baselineFromSnapshot } from '../../src/observe/baseline/baseline.ts';
import { json } from '../support/fault-host.ts';
import { archive, checksum, faults, gzipped } from '../support/live-registry.ts';
import { openStage, patiently } from '../support/live-stage.ts';

/** A live registry compared with what had been published. */

const stage = openStage();

/** What is listed now, as the earlier state, with something changed in it. */
function earlier(change: (versions: PublishedVersion[]) => void = () => {}, keys = ['app-a']): Baseline {
  const versions = stage.live.versions.map((version) => ({ ...version }));
  change(versions);
  return { source: 'last week', keys, app: (key) => (keys.includes(key) ? versions : null) };
}
async function compared(before: Baseline): Promise<string[]> {
  return faults((await patiently(stage.live.url, { before })).report).sort();
}
const drop = (version: string): void => {
  stage.live.versions = stage.live.versions.filter((entry) => entry.version !== version);
  stage.live.list();
};

describe('nothing is wrong', () => {
  test('nothing has changed', async () => expect(await compared(earlier())).toEqual([]));
  test('a version came', async () => {
    const before = earlier((versions) => versions.splice(0, 1));
    expect(await compared(before)).toEqual([]);
  });
  test('the order has changed, and the way that a checksum is written', async () => {
    const before = earlier((versions) => {
      versions.reverse();
      versions[0]!.artifactChecksum = versions[0]!.artifactChecksum.toUpperCase();
    });
    expect(await compared(before)).toEqual([]);
  });
  test('a placeholder was replaced', async () => {
    const before = earlier((versions) => void (versions[0]!.artifactChecksum = 'sha256:unknown'));
    expect(await compared(before)).toEqual([]);
  });
  test('a URL is written in another way', async () => {
    const before = earlier(
      (versions) => void (versions[0]!.artifactUrl = versions[0]!.artifactUrl.replace('https://', 'HTTPS://')),
    );
    expect(await compared(before)).toEqual([]);
  });
  test('an app came', async () => expect(await compared(earlier(undefined, []))).toEqual([]));
});

describe('what may never change', () => {
  test('a version is gone', async () => {
    const before = earlier();
    drop('1.0.0');
    expect(await compared(before)).toEqual(['error version-withdrawn (metadata 1.0.0)']);
  });
  test('the newest version is gone', async () => {
    const before = earlier();
    drop('2.0.0');
    expect(await compared(before)).toEqual(['error version-withdrawn newest (metadata 2.0.0)']);
  });
  test('the artifact and its checksum have changed together', async () => {
    const before = earlier();
    const bytes = archive('export const version = "2, again";');
    stage.live.serve('2.tar.gz', gzipped(bytes));
    stage.live.versions[0]!.artifactChecksum = checksum(bytes);
    stage.live.list();
    expect(await compared(before)).toEqual(['error artifact-changed (metadata 2.0.0)']);
  });
  test('the artifact has changed, and its checksum has not', async () => {
    const before = earlier();
    stage.serveArtifact(archive('export const version = "2, again";'));
    expect(await compared(before)).toEqual(['error artifact-checksum-mismatch changed-since (artifact 2.0.0)']);
  });
  test('the checksum has changed, and the artifact has not', async () => {
    const before = earlier();
    stage.live.versions[0]!.artifactChecksum = checksum(archive('never uploaded'));
    stage.live.list();
    expect(await compared(before)).toEqual(['error artifact-changed (metadata 2.0.0)']);
  });
  test('the artifact was moved', async () => {
    const before = earlier();
    stage.live.versions[0]!.artifactUrl = stage.host.on('/v2.tar.gz', gzipped(stage.live.artifact));
    stage.live.list();
    expect(await compared(before)).toEqual(['warning artifact-moved (metadata 2.0.0)']);
  });
  test('an app is gone', async () => {
    expect(await compared(earlier(undefined, ['app-a', 'app-b']))).toEqual(['warning app-withdrawn (manifest)']);
  });
  test('an app was renamed', async () => {
    expect(await compared(earlier(undefined, ['app_a']))).toEqual(['warning app-withdrawn renamed (manifest)']);
  });
  test('a version far beyond the others came', async () => {
    const before = earlier();
    const bytes = archive('export const version = 3;');
    const artifactUrl = stage.host.on('/3.tar.gz', gzipped(bytes));
    stage.live.versions.push({ version: '999999999.0.0', artifactUrl, artifactChecksum: checksum(bytes) });
    stage.live.list();
    expect(await compared(before)).toEqual(['warning version-number-too-large number (metadata 999999999.0.0)']);
  });
});

describe('what cannot be compared is not judged', () => {
  test('the metadata is gone: one error, and no version is called withdrawn', async () => {
    const before = earlier();
    stage.live.serve('a.json', json({ error: 'Not found' }));
    expect(await compared(before)).toEqual(['error schema-violation error-message (metadata)']);
  });
  test('what was seen before is taken from saved facts', async () => {
    const seen = await patiently(stage.live.url);
    const before = baselineFromSnapshot(
      {
        snapshot: 1,
        target: stage.live.url,
        seenAt: new Date().toISOString(),
        origins: [],
        manifest: seen.manifest,
        apps: seen.apps,
        orphans: [],
      },
      'facts.json',
    );
    drop('2.0.0');
    expect(await compared(before)).toEqual(['error version-withdrawn newest (metadata 2.0.0)']);
  });
});
