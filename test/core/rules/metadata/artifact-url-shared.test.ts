import { artifactUrlShared } from '../../../../src/core/rules/metadata/artifact-url-shared.ts';
import { checksum, entries } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const ARTIFACT_URL = 'https://x.test/app.tar.gz';
const versionsWithUrls = (...list: [version: string, url: string, seed: number][]) => ({
  versions: entries(
    ...list.map(([version, artifactUrl, seed]) => ({ version, artifactUrl, artifactChecksum: checksum(seed) })),
  ),
});

ruleTable(artifactUrlShared, {
  clean: [
    ['none', versionsWithUrls()],
    ['one each', versionsWithUrls(['1.0.0', `${ARTIFACT_URL}?v=1`, 1], ['2.0.0', `${ARTIFACT_URL}?v=2`, 2])],
    [
      'different case of the path',
      versionsWithUrls(['1.0.0', 'https://x.test/a', 1], ['2.0.0', 'https://x.test/A', 2]),
    ],
    [
      'the same version twice, which another rule reports',
      versionsWithUrls(['1.0.0', ARTIFACT_URL, 1], ['1.0.0', ARTIFACT_URL, 2]),
    ],
    [
      'missing fields',
      { versions: entries({ version: '1.0.0', artifactUrl: null }, { version: '2.0.0', artifactUrl: null }) },
    ],
    [
      'missing checksums',
      {
        versions: entries(
          { version: '1.0.0', artifactUrl: ARTIFACT_URL, artifactChecksum: null },
          { version: '2.0.0', artifactUrl: ARTIFACT_URL },
        ),
      },
    ],
  ],
  faulty: [
    [
      'different checksums',
      versionsWithUrls(['1.0.0', ARTIFACT_URL, 1], ['2.0.0', ARTIFACT_URL, 2]),
      {
        at: '/versions/1/artifactUrl',
        version: '2.0.0',
        severity: 'error',
        cause: 'other-checksum',
        message: '1.0.0 and 2.0.0',
        evidence: { url: ARTIFACT_URL, otherVersion: '1.0.0' },
      },
    ],
    [
      'the same checksum',
      versionsWithUrls(['1.0.0', ARTIFACT_URL, 1], ['2.0.0', ARTIFACT_URL, 1]),
      { severity: 'warning', cause: 'same-checksum' },
    ],
    [
      'the same digest in another form',
      {
        versions: entries(
          { version: '1.0.0', artifactUrl: ARTIFACT_URL, artifactChecksum: checksum(1) },
          { version: '2.0.0', artifactUrl: ARTIFACT_URL, artifactChecksum: ` ${checksum(1)}` },
        ),
      },
      { severity: 'warning', cause: 'same-checksum' },
    ],
    [
      'the same address except for the fragment',
      versionsWithUrls(['1.0.0', ARTIFACT_URL, 1], ['2.0.0', `${ARTIFACT_URL}#2`, 2]),
      { severity: 'error' },
    ],
    [
      'the same address spelt otherwise',
      versionsWithUrls(['1.0.0', ARTIFACT_URL, 1], ['2.0.0', 'HTTPS://X.TEST:443/app.tar.gz', 2]),
      { severity: 'error' },
    ],
    [
      'three: the verdict does not depend on the order',
      versionsWithUrls(['1.0.0', ARTIFACT_URL, 1], ['2.0.0', ARTIFACT_URL, 1], ['3.0.0', ARTIFACT_URL, 2]),
      [
        { severity: 'error', version: '2.0.0' },
        { severity: 'error', version: '3.0.0' },
      ],
    ],
    [
      'three, the different one first',
      versionsWithUrls(['3.0.0', ARTIFACT_URL, 2], ['1.0.0', ARTIFACT_URL, 1], ['2.0.0', ARTIFACT_URL, 1]),
      [{ severity: 'error' }, { severity: 'error' }],
    ],
    [
      'one version twice counts once',
      versionsWithUrls(['2.0.0', ARTIFACT_URL, 1], ['1.0.0', ARTIFACT_URL, 1], ['1.0.0', ARTIFACT_URL, 1]),
      { severity: 'warning' },
    ],
    [
      'versions that are not strings',
      {
        versions: entries(
          { version: null, artifactUrl: ARTIFACT_URL },
          { version: '1.0.0', artifactUrl: ARTIFACT_URL },
        ),
      },
      { message: '#0 and 1.0.0', severity: 'error' },
    ],
  ],
});
