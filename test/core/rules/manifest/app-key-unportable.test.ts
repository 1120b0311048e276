import { appKeyUnportable } from '../../../../src/core/rules/manifest/app-key-unportable.ts';
import { ruleTable } from '../../../support/rule-table.ts';

ruleTable(appKeyUnportable, {
  clean: [
    ['a plain key', { key: 'mail' }],
    ['64 characters', { key: 'a'.repeat(64) }],
    ['device names as parts', { key: 'con-air' }],
    ['more than a device has', { key: 'com10' }],
    ['null, which is not a device name', { key: 'null' }],
    ['console', { key: 'console' }],
  ],
  faulty: [
    ['con', { key: 'con' }, { cause: 'device-name', onName: true }],
    ['NUL', { key: 'NUL' }, { cause: 'device-name' }],
    ['aux', { key: 'aux' }, { cause: 'device-name' }],
    ['prn', { key: 'Prn' }, { cause: 'device-name' }],
    ['com1', { key: 'com1' }, { cause: 'device-name' }],
    ['lpt9', { key: 'lpt9' }, { cause: 'device-name' }],
    ['65 characters', { key: 'a'.repeat(65) }, { cause: 'length', evidence: { length: 65 } }],
    ['1,000 characters', { key: 'a'.repeat(1000) }, { cause: 'length', message: '1000' }],
  ],
});
