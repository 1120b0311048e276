import { artifactUrlShared } from '../../../../src/core/rules/metadata/artifact-url-shared.ts';
import { checksum, entries } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const U = 'https://x.test/app.tar.gz';
const of = (...list: [version: string, url: string, seed: number][]) => ({
  versions: entries(
    ...list.map(([version, artifactUrl, seed]) => ({ version, artifactUrl, artifactChecksum: checksum(seed) })),
  ),
});

ruleTable(artifactUrlShared, {
  clean: [
    ['none', of()],
    ['one each', of(['1.0.0', `${U}?v=1`, 1], ['2.0.0', `${U}?v=2`, 2])],
    ['apart in case, which paths mind', of(['1.0.0', 'https://x.test/a', 1], ['2.0.0', 'https://x.test/A', 2])],
    ['the same version twice, which is another rule’s', of(['1.0.0', U, 1], ['1.0.0', U, 2])],
    [
      'missing fields',
      { versions: entries({ version: '1.0.0', artifactUrl: null }, { version: '2.0.0', artifactUrl: null }) },
    ],
    [
      'missing checksums',
      {
        versions: entries(
          { version: '1.0.0', artifactUrl: U, artifactChecksum: null },
          { version: '2.0.0', artifactUrl: U },
        ),
      },
    ],
  ],
  faulty: [
    [
      'different checksums',
      of(['1.0.0', U, 1], ['2.0.0', U, 2]),
      {
        at: '/versions/1/artifactUrl',
        version: '2.0.0',
        severity: 'error',
        cause: 'other-checksum',
        message: '1.0.0 and 2.0.0',
        evidence: { url: U, otherVersion: '1.0.0' },
      },
    ],
    ['the same checksum', of(['1.0.0', U, 1], ['2.0.0', U, 1]), { severity: 'warning', cause: 'same-checksum' }],
    ['the same address but for what is never sent', of(['1.0.0', U, 1], ['2.0.0', `${U}#2`, 2]), { severity: 'error' }],
    [
      'the same address spelt otherwise',
      of(['1.0.0', U, 1], ['2.0.0', 'HTTPS://X.TEST:443/app.tar.gz', 2]),
      { severity: 'error' },
    ],
    [
      'three: the verdict does not depend on the order',
      of(['1.0.0', U, 1], ['2.0.0', U, 1], ['3.0.0', U, 2]),
      [
        { severity: 'error', version: '2.0.0' },
        { severity: 'error', version: '3.0.0' },
      ],
    ],
    [
      'three, the odd one first',
      of(['3.0.0', U, 2], ['1.0.0', U, 1], ['2.0.0', U, 1]),
      [{ severity: 'error' }, { severity: 'error' }],
    ],
    ['one version twice counts once', of(['2.0.0', U, 1], ['1.0.0', U, 1], ['1.0.0', U, 1]), { severity: 'warning' }],
    [
      'versions that are no text',
      { versions: entries({ version: null, artifactUrl: U }, { version: '1.0.0', artifactUrl: U }) },
      { message: '#0 and 1.0.0', severity: 'error' },
    ],
  ],
});
