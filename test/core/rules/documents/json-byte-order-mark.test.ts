import { jsonByteOrderMark } from '../../../../src/core/rules/documents/json-byte-order-mark.ts';
import { documentFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

ruleTable(jsonByteOrderMark, {
  clean: [
    ['none', documentFacts('{"apps":{}}')],
    ['U+FEFF inside a string', documentFacts('{"a":"\ufeff"}')],
    ['nothing at all', documentFacts('')],
  ],
  faulty: [
    ['in front', documentFacts('\ufeff{"apps":{}}'), { offset: 0, advice: '--fix' }],
    ['in front, as bytes', documentFacts(Uint8Array.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d])), { offset: 0 }],
    ['in front of invalid JSON', documentFacts('\ufeff{'), { offset: 0 }],
    ['in front of what is too deep', documentFacts(`\ufeff${'['.repeat(100)}`), { offset: 0 }],
  ],
});
