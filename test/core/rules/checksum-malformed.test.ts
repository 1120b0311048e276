import { checksumMalformed } from '../../../src/core/rules/checksum-malformed.ts';
import { EMPTY_SHA256 } from '../../../src/core/checksum.ts';
import { digest } from '../../support/core-facts.ts';
import { ruleTable } from '../../support/rule-table.ts';

const hex = digest(1);
const right = `sha256:${hex}`;
const at = '/artifactChecksum';

// Every near miss with its cause and its mended value stands in test/core/checksum.test.ts.
ruleTable(checksumMalformed, {
  clean: [
    ['as it should be', { checksum: right }],
    ['digits alone', { checksum: `sha256:${'1234567890'.repeat(7).slice(0, 64)}` }],
    ['few distinct digits', { checksum: `sha256:${'ab'.repeat(32)}` }],
    ['the digest of nothing, which is another rule’s', { checksum: `sha256:${EMPTY_SHA256}` }],
  ],
  faulty: [
    [
      'upper case',
      { checksum: right.toUpperCase().replace('SHA', 'sha') },
      { at, cause: 'uppercase', advice: `"${right}"`, evidence: { repaired: right } },
    ],
    ['no prefix', { checksum: hex }, { at, cause: 'no-prefix', advice: `"${right}"` }],
    ['white space', { checksum: `${right}\n` }, { at, cause: 'whitespace', advice: `"${right}"` }],
    ['another prefix', { checksum: `sha-256:${hex}` }, { at, cause: 'wrong-prefix', advice: `"${right}"` }],
    ['SHA-1', { checksum: `sha1:${hex.slice(0, 40)}` }, { at, cause: 'sha1', advice: 'appreg checksum' }],
    ['MD5', { checksum: hex.slice(0, 32) }, { at, cause: 'md5', advice: 'appreg checksum' }],
    ['SHA-512', { checksum: `sha512:${hex}${hex}` }, { at, cause: 'sha512' }],
    [
      'base64',
      { checksum: `sha256-${Buffer.from(hex, 'hex').toString('base64')}` },
      { at, cause: 'sri-base64', advice: `"${right}"` },
    ],
    [
      'a placeholder',
      { checksum: 'sha256:unknown' },
      { at, cause: 'placeholder', advice: 'appreg checksum', evidence: { repaired: null } },
    ],
    ['63 digits', { checksum: right.slice(0, -1) }, { at, cause: 'wrong-length', message: '63' }],
    ['a digit beyond f', { checksum: `${right.slice(0, -1)}g` }, { at, cause: 'not-hexadecimal' }],
  ],
});
