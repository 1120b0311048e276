import { versionNumberTooLarge } from '../../../../src/core/rules/metadata/version-number-too-large.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const VERSION_POINTER = '/version';

ruleTable(versionNumberTooLarge, {
  clean: [
    ['plain', { version: '1.2.3' }],
    ['a date as the major number', { version: '20260301.0.0' }],
    ['a time as the patch number', { version: '1.0.20260301120000' }],
    ['256 characters', { version: `1.2.3-${'a'.repeat(250)}` }],
    ['2^53 - 1', { version: '1.0.9007199254740991' }],
    ['a huge number in a pre-release', { version: '1.0.0-99999999999999999999' }],
    ['no version, which another rule reports', { version: '9'.repeat(300) }],
  ],
  faulty: [
    [
      'a major number of nine digits',
      { version: '100000000.0.0' },
      { at: VERSION_POINTER, cause: 'number', message: '100000000' },
    ],
    ['a time as the major number', { version: '20260301120000.0.0' }, { at: VERSION_POINTER, cause: 'number' }],
    [
      '2^53 as the minor number',
      { version: '1.9007199254740992.0' },
      { at: VERSION_POINTER, cause: 'number', message: 'not compared', evidence: { compared: false } },
    ],
    ['23 digits', { version: '12345678901234567890123.0.0' }, { at: VERSION_POINTER, cause: 'number' }],
    [
      '257 characters',
      { version: `1.2.3-${'a'.repeat(251)}` },
      { at: VERSION_POINTER, cause: 'length', message: '257' },
    ],
  ],
});
