import { expect, test } from 'vitest';
import { judge } from '../../src/core/engine/judge.ts';
import type { Baseline } from '../../src/core/facts/facts.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { reasonWords, unpublishedApps } from '../../src/report/report-text.ts';
import { checksum } from '../support/core-facts.ts';
import { BASE, metadataWith, snapshot } from '../support/snapshots.ts';

const hiddenReasons = (report: Report): string[] => {
  const unpublished = unpublishedApps(report.findings);
  return report.apps.filter(({ visible }) => visible === false).map((app) => reasonWords(app, unpublished));
};

test('the reasons for hidden apps distinguish unpublished apps', () => {
  const report = judge(
    snapshot(['a', 'b c', 'd'], { a: { versions: [] }, 'b c': { versions: [] }, d: metadataWith('v1') }),
    {
      command: 'lint',
    },
  );
  expect(hiddenReasons(report)).toEqual([
    'no version is published yet',
    'of app-key-unsafe, and because no version is published yet',
    'of no-valid-versions',
  ]);
});

test('an app with earlier versions is not called unpublished', () => {
  const before: Baseline = {
    source: 'main',
    keys: ['a'],
    app: () => [{ version: '1.0.0', artifactUrl: `${BASE}1.tar.gz`, artifactChecksum: checksum(1) }],
  };
  const report = judge(snapshot(['a'], { a: { versions: [] } }), { command: 'lint', baseline: before });
  expect(hiddenReasons(report)).toEqual(['of no-valid-versions']);
});
