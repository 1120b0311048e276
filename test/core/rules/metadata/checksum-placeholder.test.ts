import { EMPTY_SHA256 } from '../../../../src/core/registry/checksum.ts';
import { checksumPlaceholder } from '../../../../src/core/rules/metadata/checksum-placeholder.ts';
import { digest } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const of = (hex: string) => ({ checksum: `sha256:${hex}` });

ruleTable(checksumPlaceholder, {
  clean: [
    ['a digest', of(digest(1))],
    ['a digest of few distinct digits', of('0110100110010110100101100110100110010110011010010110100110010110')],
    ['a digest with a long run', of(`${'0'.repeat(40)}${digest(2).slice(0, 24)}`)],
    ['half and half', of(digest(3).slice(0, 32).repeat(2))],
    ['malformed, which is another rule’s', { checksum: 'sha256:unknown' }],
  ],
  faulty: [
    ['the digest of an empty file', of(EMPTY_SHA256), { at: '/artifactChecksum', cause: 'empty-file' }],
    ['zeros', of('0'.repeat(64)), { cause: 'filler' }],
    ['f', of('f'.repeat(64)), { cause: 'filler' }],
    ['deadbeef', of('deadbeef'.repeat(8)), { cause: 'filler', advice: 'appreg checksum' }],
    ['abcd', of('abcd'.repeat(16)), { cause: 'filler' }],
    ['counting', of('0123456789abcdef'.repeat(4)), { cause: 'filler' }],
  ],
});
