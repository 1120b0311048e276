import { checksumShared } from '../../../../src/core/rules/metadata/checksum-shared.ts';
import { checksum, entries } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const versionsWithSeeds = (...list: [version: string | null, seed: number][]) => ({
  versions: entries(...list.map(([version, seed]) => ({ version, artifactChecksum: checksum(seed) }))),
});

ruleTable(checksumShared, {
  clean: [
    ['one each', versionsWithSeeds(['1.0.0', 1], ['2.0.0', 2])],
    ['the same version twice, which another rule reports', versionsWithSeeds(['1.0.0', 1], ['1.0.0', 1])],
    [
      'one URL for both, which another rule reports',
      {
        versions: entries(
          { version: '1.0.0', artifactUrl: 'https://x.test/a', artifactChecksum: checksum(1) },
          { version: '2.0.0', artifactUrl: 'https://x.test/a', artifactChecksum: checksum(1) },
        ),
      },
    ],
    [
      'one URL for both in two forms, which another rule reports',
      {
        versions: entries(
          { version: '1.0.0', artifactUrl: 'https://x.test/a', artifactChecksum: checksum(1) },
          { version: '2.0.0', artifactUrl: 'https://X.test:443/a', artifactChecksum: checksum(1) },
        ),
      },
    ],
    [
      'placeholders, which another rule reports',
      {
        versions: entries(
          { version: '1.0.0', artifactChecksum: 'unknown' },
          { version: '2.0.0', artifactChecksum: 'unknown' },
        ),
      },
    ],
    [
      'no checksums',
      { versions: entries({ version: '1.0.0', artifactChecksum: null }, { version: '2.0.0', artifactChecksum: null }) },
    ],
  ],
  faulty: [
    [
      'two versions',
      versionsWithSeeds(['1.0.0', 1], ['2.0.0', 1]),
      {
        at: '/versions/1/artifactChecksum',
        version: '2.0.0',
        message: '1.0.0 and 2.0.0',
        evidence: { otherVersion: '1.0.0' },
      },
    ],
    [
      'three versions',
      versionsWithSeeds(['1.0.0', 1], ['2.0.0', 1], ['3.0.0', 1]),
      [{ version: '2.0.0' }, { version: '3.0.0' }],
    ],
    ['pre-release and release', versionsWithSeeds(['1.0.0-rc.1', 1], ['1.0.0', 1]), { version: '1.0.0' }],
  ],
});
