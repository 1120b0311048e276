import { artifactChanged } from '../../../../src/core/rules/history/artifact-changed.ts';
import { checksum, digest, entries } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const U = 'https://x.test/a.tar.gz';
const of = (listed: string | null, before: string, version = '1.0.0') => ({
  versions: entries({ version, artifactUrl: U, artifactChecksum: listed }),
  earlier: [{ version: '1.0.0', artifactUrl: U, artifactChecksum: before }],
  earlierSource: 'v1',
});

ruleTable(artifactChanged, {
  clean: [
    ['the same', of(checksum(1), checksum(1))],
    ['another version', of(checksum(2), checksum(1), '1.0.1')],
    ['upper case that was fixed', of(checksum(1), `sha256:${digest(1).toUpperCase()}`)],
    ['a prefix that was added', of(checksum(1), digest(1))],
    ['base64 that was fixed', of(checksum(1), `sha256-${Buffer.from(digest(1), 'hex').toString('base64')}`)],
    ['a placeholder that was replaced at last', of(checksum(1), 'sha256:unknown')],
    ['another algorithm that was replaced', of(checksum(1), `sha1:${digest(1).slice(0, 40)}`)],
    ['no checksum any more, which is another rule’s', of(null, checksum(1))],
  ],
  faulty: [
    [
      'another digest',
      of(checksum(2), checksum(1)),
      {
        at: '/versions/0/artifactChecksum',
        version: '1.0.0',
        advice: checksum(1),
        evidence: { published: checksum(1), listed: checksum(2), earlier: 'v1' },
      },
    ],
    ['another digest, malformed too', of(digest(2), checksum(1)), { version: '1.0.0' }],
    ['a placeholder now', of('unknown', checksum(1)), { version: '1.0.0' }],
    ['another digest than the malformed one meant', of(checksum(2), digest(1).toUpperCase()), { version: '1.0.0' }],
    [
      'each entry of a version that stands twice',
      {
        versions: entries(
          { version: '1.0.0', artifactChecksum: checksum(1) },
          { version: '1.0.0', artifactChecksum: checksum(2) },
        ),
        earlier: [{ version: '1.0.0', artifactUrl: U, artifactChecksum: checksum(1) }],
        earlierSource: 'v1',
      },
      { at: '/versions/1/artifactChecksum' },
    ],
  ],
});
