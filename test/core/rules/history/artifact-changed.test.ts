import { artifactChanged } from '../../../../src/core/rules/history/artifact-changed.ts';
import { checksum, digest, entries } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const ARTIFACT_URL = 'https://x.test/a.tar.gz';
const checksums = (listed: string | null, before: string, version = '1.0.0') => ({
  versions: entries({ version, artifactUrl: ARTIFACT_URL, artifactChecksum: listed }),
  earlier: [{ version: '1.0.0', artifactUrl: ARTIFACT_URL, artifactChecksum: before }],
  earlierSource: 'v1',
});

ruleTable(artifactChanged, {
  clean: [
    ['the same', checksums(checksum(1), checksum(1))],
    ['another version', checksums(checksum(2), checksum(1), '1.0.1')],
    ['upper case that was fixed', checksums(checksum(1), `sha256:${digest(1).toUpperCase()}`)],
    ['a prefix that was added', checksums(checksum(1), digest(1))],
    ['base64 that was fixed', checksums(checksum(1), `sha256-${Buffer.from(digest(1), 'hex').toString('base64')}`)],
    ['a placeholder that was replaced', checksums(checksum(1), 'sha256:unknown')],
    ['another algorithm that was replaced', checksums(checksum(1), `sha1:${digest(1).slice(0, 40)}`)],
    ['no checksum any more, which another rule reports', checksums(null, checksum(1))],
  ],
  faulty: [
    [
      'another digest',
      checksums(checksum(2), checksum(1)),
      {
        at: '/versions/0/artifactChecksum',
        version: '1.0.0',
        advice: checksum(1),
        evidence: { published: checksum(1), listed: checksum(2), earlier: 'v1' },
      },
    ],
    ['another digest, malformed too', checksums(digest(2), checksum(1)), { version: '1.0.0' }],
    ['a placeholder now', checksums('unknown', checksum(1)), { version: '1.0.0' }],
    [
      'another digest than the malformed one meant',
      checksums(checksum(2), digest(1).toUpperCase()),
      { version: '1.0.0' },
    ],
    [
      'each entry of a duplicate version',
      {
        versions: entries(
          { version: '1.0.0', artifactChecksum: checksum(1) },
          { version: '1.0.0', artifactChecksum: checksum(2) },
        ),
        earlier: [{ version: '1.0.0', artifactUrl: ARTIFACT_URL, artifactChecksum: checksum(1) }],
        earlierSource: 'v1',
      },
      { at: '/versions/1/artifactChecksum' },
    ],
  ],
});
