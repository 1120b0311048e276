import { versionNotListed } from '../../../../src/core/rules/metadata/version-not-listed.ts';
import { entries } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const requestedVersion = (requestedVersion: string | null, ...versions: (string | null)[]) => ({
  versions: entries(...versions.map((version) => ({ version }))),
  requestedVersion,
  copyAge: requestedVersion === '9.0.0' ? 7200 : 0,
});

ruleTable(versionNotListed, {
  clean: [
    ['no version was requested', requestedVersion(null, '1.0.0')],
    ['it is listed', requestedVersion('1.0.0', '2.0.0', '1.0.0')],
    ['listed as requested, valid or not', requestedVersion('v1', 'v1')],
  ],
  faulty: [
    [
      'in an old copy',
      requestedVersion('9.0.0', '1.0.0'),
      {
        cause: 'absent',
        message: '2 hours old: it may lack what was published since',
        advice: 'publish-version <app> 9.0.0',
      },
    ],
    [
      'not listed',
      requestedVersion('3.0.0', '1.0.0', '2.0.0', '1.5.0'),
      {
        cause: 'absent',
        version: '3.0.0',
        message: 'the highest of 3 listed versions is 2.0.0',
        advice: 'publish-version',
      },
    ],
    [
      'written with a v',
      requestedVersion('1.2.0', 'v1.2.0'),
      { cause: 'other-form', message: '“v1.2.0” is, which is not', advice: '"1.2.0"' },
    ],
    ['requested with a v', requestedVersion('v1.2.0', '1.2.0'), { cause: 'other-form', advice: 'use "1.2.0"' }],
    ['two parts', requestedVersion('1.2.0', '1.2'), { cause: 'other-form', advice: '"1.2.0"' }],
    ['other build metadata', requestedVersion('1.2.0', '1.2.0+5'), { cause: 'other-form', message: '“1.2.0+5” is.' }],
    ['a pre-release is another release', requestedVersion('1.2.0', '1.2.0-rc.1'), { cause: 'absent' }],
    ['none', requestedVersion('1.0.0'), { cause: 'no-versions', message: 'and no other version is valid' }],
    [
      'no valid version',
      requestedVersion('1.0.0', 'x', null),
      { cause: 'absent', message: 'and no other version is valid' },
    ],
  ],
});
