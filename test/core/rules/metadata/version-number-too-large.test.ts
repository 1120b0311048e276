import { versionNumberTooLarge } from '../../../../src/core/rules/metadata/version-number-too-large.ts';
import { semanticVersion } from '../../../../src/core/registry/semantic-version.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const VERSION_POINTER = '/version';

const versionFacts = (version: string) => ({ version, semver: semanticVersion(version) });

ruleTable(versionNumberTooLarge, {
  clean: [
    ['plain', versionFacts('1.2.3')],
    ['a date as the major number', versionFacts('20260301.0.0')],
    ['a time as the patch number', versionFacts('1.0.20260301120000')],
    ['256 characters', versionFacts(`1.2.3-${'a'.repeat(250)}`)],
    ['2^53 - 1', versionFacts('1.0.9007199254740991')],
    ['a huge number in a pre-release', versionFacts('1.0.0-99999999999999999999')],
    ['no version, which another rule reports', versionFacts('9'.repeat(300))],
  ],
  faulty: [
    [
      'a major number of nine digits',
      versionFacts('100000000.0.0'),
      { at: VERSION_POINTER, cause: 'number', message: '100000000' },
    ],
    ['a time as the major number', versionFacts('20260301120000.0.0'), { at: VERSION_POINTER, cause: 'number' }],
    [
      '2^53 as the minor number',
      versionFacts('1.9007199254740992.0'),
      { at: VERSION_POINTER, cause: 'number', message: 'not compared', evidence: { compared: false } },
    ],
    ['23 digits', versionFacts('12345678901234567890123.0.0'), { at: VERSION_POINTER, cause: 'number' }],
    [
      '257 characters',
      versionFacts(`1.2.3-${'a'.repeat(251)}`),
      { at: VERSION_POINTER, cause: 'length', message: '257' },
    ],
  ],
});
