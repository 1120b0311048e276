import { versionNotSemver } from '../../../../src/core/rules/metadata/version-not-semver.ts';
import { semanticVersion } from '../../../../src/core/registry/semantic-version.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const VERSION_POINTER = '/version';

const versionFacts = (version: string) => ({ version, semver: semanticVersion(version) });

// The full tables of the grammar stand in test/core/registry/version.test.ts.
ruleTable(versionNotSemver, {
  clean: [
    ['plain', versionFacts('1.2.3')],
    ['zeros', versionFacts('0.0.0')],
    ['two digits', versionFacts('10.20.30')],
    ['a pre-release of 0', versionFacts('1.2.3-0')],
    ['a pre-release', versionFacts('1.2.3-rc.1')],
    ['build metadata with leading zeros', versionFacts('1.2.3+001')],
    ['more than 2^53', versionFacts('9007199254740992.0.0')],
    ['257 characters', versionFacts(`1.2.3-${'a'.repeat(251)}`)],
  ],
  faulty: [
    ['v', versionFacts('v1.2.3'), { at: VERSION_POINTER, advice: '"1.2.3"', evidence: { version: 'v1.2.3' } }],
    ['V', versionFacts('V1.2.3'), { at: VERSION_POINTER, advice: '"1.2.3"' }],
    ['=', versionFacts('=1.2.3'), { at: VERSION_POINTER, advice: '"1.2.3"' }],
    ['a space in front', versionFacts(' 1.2.3'), { at: VERSION_POINTER, advice: '"1.2.3"' }],
    ['a space behind', versionFacts('1.2.3 '), { at: VERSION_POINTER, advice: '"1.2.3"' }],
    [
      'a line break behind',
      versionFacts('1.2.3\n'),
      { at: VERSION_POINTER, message: '1.2.3\\u{a}', advice: '"1.2.3"' },
    ],
    ['one number', versionFacts('1'), { at: VERSION_POINTER, advice: '"1.0.0"' }],
    ['two numbers', versionFacts('1.2'), { at: VERSION_POINTER, advice: '"1.2.0"' }],
    ['v and two numbers', versionFacts('v1.2'), { at: VERSION_POINTER, advice: '"1.2.0"' }],
    ['four numbers', versionFacts('1.2.3.4'), { at: VERSION_POINTER, advice: 'MAJOR.MINOR.PATCH' }],
    ['leading zeros', versionFacts('01.2.3'), { at: VERSION_POINTER, advice: '"1.2.3"' }],
    ['a date', versionFacts('2026.03.01'), { at: VERSION_POINTER, advice: '"2026.3.1"' }],
    ['commas', versionFacts('1,2,3'), { at: VERSION_POINTER, advice: '"1.2.3"' }],
    ['a range', versionFacts('^1.2.3'), { at: VERSION_POINTER }],
    ['x', versionFacts('1.x'), { at: VERSION_POINTER }],
    ['any', versionFacts('*'), { at: VERSION_POINTER }],
    ['latest', versionFacts('latest'), { at: VERSION_POINTER, message: '“latest”' }],
    ['empty', versionFacts(''), { at: VERSION_POINTER, advice: 'MAJOR.MINOR.PATCH' }],
    ['a pre-release of nothing', versionFacts('1.2.3-'), { at: VERSION_POINTER }],
    ['a build of nothing', versionFacts('1.2.3+'), { at: VERSION_POINTER }],
    ['a pre-release with a leading zero', versionFacts('1.2.3-01'), { at: VERSION_POINTER }],
    ['an empty part', versionFacts('1.2.3-a..b'), { at: VERSION_POINTER }],
    ['a Greek letter', versionFacts('1.2.3-α'), { at: VERSION_POINTER }],
    ['an underscore', versionFacts('1.2.3-beta_1'), { at: VERSION_POINTER }],
    ['a letter behind', versionFacts('1.2.3a'), { at: VERSION_POINTER }],
    ['full-width digits', versionFacts('１.２.３'), { at: VERSION_POINTER }],
    ['a minus', versionFacts('-1.2.3'), { at: VERSION_POINTER }],
    ['the words of a release', versionFacts('release-1.2.3'), { at: VERSION_POINTER }],
  ],
});
