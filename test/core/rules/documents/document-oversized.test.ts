import { documentOversized } from '../../../../src/core/rules/documents/document-oversized.ts';
import { parseDocument } from '../../../../src/core/json/json.ts';
import { contentFrom, documentFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const nested = (depth: number, inner = ''): string => '['.repeat(depth) + inner + ']'.repeat(depth);
const cut = (source: string | Uint8Array) => {
  const content = { ...contentFrom(source), cut: true };
  return { content, reading: parseDocument(content) };
};

ruleTable(documentOversized, {
  clean: [
    ['a manifest', documentFacts('{"apps":{}}')],
    ['64 levels', documentFacts(nested(64))],
    ['brackets inside a string', documentFacts(`{"a":"${'[{'.repeat(200)}"}`)],
    ['brackets behind escaped quotes inside a string', documentFacts(`{"a":"\\"${'['.repeat(200)}\\\\"}`)],
    ['many arrays side by side', documentFacts(`[${'[],'.repeat(1000)}[]]`)],
    ['invalid JSON', documentFacts('{{{')],
  ],
  faulty: [
    ['65 levels', documentFacts(nested(65)), { cause: 'depth', offset: 64, evidence: { limit: 64 } }],
    ['65 levels after a byte order mark', documentFacts(`\ufeff${nested(65)}`), { cause: 'depth', offset: 65 }],
    ['100,000 levels in an unknown field', documentFacts(`{"apps":{},"x":${nested(100_000)}}`), { cause: 'depth' }],
    ['100,000 levels that are never closed', documentFacts('{"a":'.repeat(100_000)), { cause: 'depth' }],
    [
      'cut off at the limit',
      cut('{"apps":{}}'),
      { cause: 'bytes', message: 'reading stopped after 11 bytes', evidence: { bytesRead: 11 } },
    ],
    ['cut off in the middle of a character', cut(Uint8Array.from([0x22, 0xe2, 0x82])), { cause: 'bytes' }],
  ],
});
