import { versionWithdrawn } from '../../../../src/core/rules/history/version-withdrawn.ts';
import { checksum, entries } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const published = (version: string, seed = 1) => ({
  version,
  artifactUrl: `https://x.test/${version}.tar.gz`,
  artifactChecksum: checksum(seed),
});
const listedAfter = (listed: string[], before: string[]) => ({
  versions: entries(...listed.map((version) => ({ version }))),
  earlier: before.map((version) => published(version)),
  earlierSource: 'origin/main',
});

ruleTable(versionWithdrawn, {
  clean: [
    ['the same list', listedAfter(['1.0.0'], ['1.0.0'])],
    ['one more', listedAfter(['1.0.0', '2.0.0'], ['1.0.0'])],
    ['another order', listedAfter(['2.0.0', '1.0.0'], ['1.0.0', '2.0.0'])],
    ['nothing before', listedAfter([], [])],
    ['a spelling that was fixed', listedAfter(['1.2.3'], ['v1.2.3'])],
    ['an invalid spelling in place of another', listedAfter(['v1.2'], ['1.2'])],
  ],
  faulty: [
    [
      'one is gone',
      listedAfter(['2.0.0'], ['1.0.0', '2.0.0']),
      {
        at: '/versions',
        version: '1.0.0',
        message: 'origin/main',
        advice: JSON.stringify(published('1.0.0')),
        evidence: { version: '1.0.0', earlier: 'origin/main' },
      },
    ],
    [
      'all are gone',
      listedAfter([], ['1.0.0', '2.0.0']),
      [{ version: '1.0.0' }, { version: '2.0.0', cause: 'newest', message: 'no version is left' }],
    ],
    [
      'the newest is gone: rolled back, or an older copy',
      listedAfter(['1.0.0', '1.9.0'], ['1.0.0', '1.9.0', '1.10.0']),
      { version: '1.10.0', cause: 'newest', message: 'the newest is now 1.9.0' },
    ],
    ['a build is another version', listedAfter(['1.0.0+b'], ['1.0.0']), { version: '1.0.0' }],
    ['a valid version under another spelling', listedAfter(['1.0.0'], ['1.0.0-0']), { version: '1.0.0-0' }],
    [
      'a valid version in an invalid form',
      {
        ...listedAfter(['2.0.0'], ['1.0.0', '2.0.0']),
        versions: entries({ version: '2.0.0' }, { ...published('1.0.0'), version: 'v1.0.0' }),
      },
      {
        at: '/versions/1/version',
        version: '1.0.0',
        cause: 'respelled',
        message: 'is now written “v1.0.0”, which is not a semantic version.',
        advice: 'Write it as "1.0.0".',
      },
    ],
    [
      'the newest, in an invalid form, at another URL',
      listedAfter(['1.0'], ['1.0.0']),
      { cause: 'respelled', message: 'no version is left', advice: 'Write it as "1.0.0".' },
    ],
    ['no version, and gone', listedAfter(['1.0.0'], ['v2.0.0']), { version: 'v2.0.0' }],
  ],
});
