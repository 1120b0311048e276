import { digestOf, EMPTY_SHA256 } from '../../../../src/core/registry/checksum.ts';
import { checksumPlaceholder } from '../../../../src/core/rules/metadata/checksum-placeholder.ts';
import { digest } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const checksumWithHex = (hex: string) => ({
  checksum: `sha256:${hex}`,
  digest: digestOf(`sha256:${hex}`),
});

ruleTable(checksumPlaceholder, {
  clean: [
    ['a digest', checksumWithHex(digest(1))],
    [
      'a digest of few distinct digits',
      checksumWithHex('0110100110010110100101100110100110010110011010010110100110010110'),
    ],
    ['a digest with a long run', checksumWithHex(`${'0'.repeat(40)}${digest(2).slice(0, 24)}`)],
    ['half and half', checksumWithHex(digest(3).slice(0, 32).repeat(2))],
    ['malformed, which another rule reports', { checksum: 'sha256:unknown', digest: null }],
  ],
  faulty: [
    ['the digest of an empty file', checksumWithHex(EMPTY_SHA256), { at: '/artifactChecksum', cause: 'empty-file' }],
    ['zeros', checksumWithHex('0'.repeat(64)), { cause: 'filler' }],
    ['f', checksumWithHex('f'.repeat(64)), { cause: 'filler' }],
    ['deadbeef', checksumWithHex('deadbeef'.repeat(8)), { cause: 'filler', advice: 'appreg checksum' }],
    ['abcd', checksumWithHex('abcd'.repeat(16)), { cause: 'filler' }],
    ['counting', checksumWithHex('0123456789abcdef'.repeat(4)), { cause: 'filler' }],
  ],
});
