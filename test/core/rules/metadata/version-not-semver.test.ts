import { versionNotSemver } from '../../../../src/core/rules/metadata/version-not-semver.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const VERSION_POINTER = '/version';

// The full tables of the grammar stand in test/core/registry/version.test.ts.
ruleTable(versionNotSemver, {
  clean: [
    ['plain', { version: '1.2.3' }],
    ['zeros', { version: '0.0.0' }],
    ['two digits', { version: '10.20.30' }],
    ['a pre-release of 0', { version: '1.2.3-0' }],
    ['a pre-release', { version: '1.2.3-rc.1' }],
    ['build metadata with leading zeros', { version: '1.2.3+001' }],
    ['more than 2^53', { version: '9007199254740992.0.0' }],
    ['257 characters', { version: `1.2.3-${'a'.repeat(251)}` }],
  ],
  faulty: [
    ['v', { version: 'v1.2.3' }, { at: VERSION_POINTER, advice: '"1.2.3"', evidence: { version: 'v1.2.3' } }],
    ['V', { version: 'V1.2.3' }, { at: VERSION_POINTER, advice: '"1.2.3"' }],
    ['=', { version: '=1.2.3' }, { at: VERSION_POINTER, advice: '"1.2.3"' }],
    ['a space in front', { version: ' 1.2.3' }, { at: VERSION_POINTER, advice: '"1.2.3"' }],
    ['a space behind', { version: '1.2.3 ' }, { at: VERSION_POINTER, advice: '"1.2.3"' }],
    ['a line break behind', { version: '1.2.3\n' }, { at: VERSION_POINTER, message: '1.2.3\\u{a}', advice: '"1.2.3"' }],
    ['one number', { version: '1' }, { at: VERSION_POINTER, advice: '"1.0.0"' }],
    ['two numbers', { version: '1.2' }, { at: VERSION_POINTER, advice: '"1.2.0"' }],
    ['v and two numbers', { version: 'v1.2' }, { at: VERSION_POINTER, advice: '"1.2.0"' }],
    ['four numbers', { version: '1.2.3.4' }, { at: VERSION_POINTER, advice: 'MAJOR.MINOR.PATCH' }],
    ['leading zeros', { version: '01.2.3' }, { at: VERSION_POINTER, advice: '"1.2.3"' }],
    ['a date', { version: '2026.03.01' }, { at: VERSION_POINTER, advice: '"2026.3.1"' }],
    ['commas', { version: '1,2,3' }, { at: VERSION_POINTER, advice: '"1.2.3"' }],
    ['a range', { version: '^1.2.3' }, { at: VERSION_POINTER }],
    ['x', { version: '1.x' }, { at: VERSION_POINTER }],
    ['any', { version: '*' }, { at: VERSION_POINTER }],
    ['latest', { version: 'latest' }, { at: VERSION_POINTER, message: '“latest”' }],
    ['empty', { version: '' }, { at: VERSION_POINTER, advice: 'MAJOR.MINOR.PATCH' }],
    ['a pre-release of nothing', { version: '1.2.3-' }, { at: VERSION_POINTER }],
    ['a build of nothing', { version: '1.2.3+' }, { at: VERSION_POINTER }],
    ['a pre-release with a leading zero', { version: '1.2.3-01' }, { at: VERSION_POINTER }],
    ['an empty part', { version: '1.2.3-a..b' }, { at: VERSION_POINTER }],
    ['a Greek letter', { version: '1.2.3-α' }, { at: VERSION_POINTER }],
    ['an underscore', { version: '1.2.3-beta_1' }, { at: VERSION_POINTER }],
    ['a letter behind', { version: '1.2.3a' }, { at: VERSION_POINTER }],
    ['full-width digits', { version: '１.２.３' }, { at: VERSION_POINTER }],
    ['a minus', { version: '-1.2.3' }, { at: VERSION_POINTER }],
    ['the words of a release', { version: 'release-1.2.3' }, { at: VERSION_POINTER }],
  ],
});
