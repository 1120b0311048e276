import { artifactMoved } from '../../../../src/core/rules/history/artifact-moved.ts';
import { checksum, digest, entries } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const listedArtifact = (url: string | null, sum: string | null, before = 'https://x.test/a.tar.gz') => ({
  versions: entries({ version: '1.0.0', artifactUrl: url, artifactChecksum: sum }),
  earlier: [{ version: '1.0.0', artifactUrl: before, artifactChecksum: checksum(1) }],
  earlierSource: 'v1',
});

const signed = (hour: number): string =>
  `https://x.test/a.tar.gz?X-Amz-Date=20260101T0${hour}0000Z&X-Amz-Expires=60&X-Amz-Signature=${hour}`;

ruleTable(artifactMoved, {
  clean: [
    ['the same URL', listedArtifact('https://x.test/a.tar.gz', checksum(1))],
    ['the same address in other words', listedArtifact('https://X.TEST:443/a.tar.gz#x', checksum(1))],
    ['other bytes, which another rule reports', listedArtifact('https://x.test/b.tar.gz', checksum(2))],
    ['signed anew', listedArtifact(signed(2), checksum(1), signed(1))],
    ['no URL', listedArtifact(null, checksum(1))],
    ['no checksum', listedArtifact('https://x.test/b.tar.gz', null)],
  ],
  faulty: [
    [
      'another URL',
      listedArtifact('https://y.test/a.tar.gz', checksum(1)),
      {
        at: '/versions/0/artifactUrl',
        version: '1.0.0',
        evidence: { published: 'https://x.test/a.tar.gz', listed: 'https://y.test/a.tar.gz', earlier: 'v1' },
      },
    ],
    ['signed, and another file', listedArtifact(`${signed(2)}&file=b`, checksum(1), signed(1)), { version: '1.0.0' }],
    ['signed, where it was public', listedArtifact(signed(1), checksum(1)), { version: '1.0.0' }],
    [
      'another URL, and a checksum whose spelling was fixed',
      listedArtifact('https://y.test/a.tar.gz', digest(1)),
      { version: '1.0.0' },
    ],
    [
      'http to https is another URL too',
      listedArtifact('https://x.test/a.tar.gz', checksum(1), 'http://x.test/a.tar.gz'),
      { version: '1.0.0' },
    ],
  ],
});
