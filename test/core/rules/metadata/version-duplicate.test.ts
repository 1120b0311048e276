import { versionDuplicate } from '../../../../src/core/rules/metadata/version-duplicate.ts';
import { checksum, entries } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const versions = (...versions: string[]) => ({ versions: entries(...versions.map((version) => ({ version }))) });
const versionsWithSeeds = (...list: [version: string, seed: number][]) => ({
  versions: entries(...list.map(([version, seed]) => ({ version, artifactChecksum: checksum(seed) }))),
});

ruleTable(versionDuplicate, {
  clean: [
    ['none', versions()],
    ['one', versions('1.0.0')],
    ['different ones', versions('1.0.0', '1.0.1', '1.0.0-rc.1', '0.0.1', '10.0.0')],
    ['numbers that a double cannot tell apart', versions('9007199254740992.0.0', '9007199254740993.0.0')],
    ['pre-releases that differ in case', versions('1.0.0-A', '1.0.0-a')],
    ['no versions, which another rule reports', versions('v1', 'v1')],
    ['no text', { versions: entries({ version: null }, { version: null }) }],
  ],
  faulty: [
    [
      'twice, with another checksum',
      versions('1.0.0', '2.0.0', '1.0.0'),
      {
        at: '/versions/2/version',
        version: '1.0.0',
        cause: 'other-checksum',
        message: 'with different checksums',
        evidence: { firstIndex: 0, index: 2 },
      },
    ],
    [
      'twice, with the same checksum',
      versionsWithSeeds(['1.0.0', 1], ['1.0.0', 1]),
      { cause: 'same-checksum', advice: 'Remove one' },
    ],
    [
      'twice, with the same digest in another form',
      {
        versions: entries(
          { version: '1.0.0', artifactChecksum: checksum(1) },
          { version: '1.0.0', artifactChecksum: checksum(1).slice('sha256:'.length).toUpperCase() },
        ),
      },
      { cause: 'same-checksum', advice: 'Remove one' },
    ],
    [
      'three times: the causes do not depend on the order',
      versionsWithSeeds(['1.0.0', 1], ['1.0.0', 1], ['1.0.0', 2]),
      [{ cause: 'other-checksum' }, { cause: 'other-checksum' }],
    ],
    [
      'three times, the different one first',
      versionsWithSeeds(['1.0.0', 2], ['1.0.0', 1], ['1.0.0', 1]),
      [{ cause: 'other-checksum' }, { cause: 'other-checksum' }],
    ],
    [
      'apart in the build alone',
      versions('1.0.0+a', '1.0.0+b'),
      { cause: 'same-precedence', message: '1.0.0+a and 1.0.0+b', version: '1.0.0+b' },
    ],
    ['with and without a build', versions('1.0.0', '1.0.0+1'), { cause: 'same-precedence' }],
    ['pre-releases apart in the build', versions('1.0.0-rc.1+a', '1.0.0-rc.1+b'), { cause: 'same-precedence' }],
    [
      'a build twice behind the plain one',
      versionsWithSeeds(['1.0.0', 1], ['1.0.0+b', 2], ['1.0.0+b', 2]),
      [{ cause: 'same-precedence' }, { cause: 'same-checksum' }],
    ],
    [
      'the index is that of the file',
      { versions: entries({ version: '1.0.0', index: 4 }, { version: '1.0.0', index: 7 }) },
      { at: '/versions/7/version', evidence: { firstIndex: 4, index: 7 } },
    ],
  ],
});
