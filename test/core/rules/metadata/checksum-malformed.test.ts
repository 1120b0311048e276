import { checksumMalformed } from '../../../../src/core/rules/metadata/checksum-malformed.ts';
import { EMPTY_SHA256 } from '../../../../src/core/registry/checksum.ts';
import type { Content } from '../../../../src/core/facts/facts.ts';
import { createDigester } from '../../../../src/observe/digest/digest.ts';
import { digest } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { entry, tgz } from '../../../support/tar-builder.ts';

const hex = digest(1);
const right = `sha256:${hex}`;
const at = '/artifactChecksum';
const of = (checksum: string, served: Content | null = null) => ({ checksum, served });
function content(bytes: Uint8Array): Content {
  const digester = createDigester(Infinity, { weak: true });
  digester.write(bytes);
  return digester.end();
}
const archive = content(tgz(entry('app.js', '1')));
const page = content(Buffer.from('<!doctype html><title>Sign in</title>'));

// Every near miss with its cause and its fixed value stands in test/core/registry/checksum.test.ts.
ruleTable(checksumMalformed, {
  clean: [
    ['as it should be', of(right)],
    ['digits alone', of(`sha256:${'1234567890'.repeat(7).slice(0, 64)}`)],
    ['few distinct digits', of(`sha256:${'ab'.repeat(32)}`)],
    ['the digest of nothing, which is another rule’s', of(`sha256:${EMPTY_SHA256}`)],
  ],
  faulty: [
    [
      'upper case',
      of(right.toUpperCase().replace('SHA', 'sha')),
      { at, cause: 'uppercase', advice: `"${right}"`, evidence: { repaired: right } },
    ],
    ['no prefix', of(hex), { at, cause: 'no-prefix', advice: `"${right}"` }],
    ['white space', of(`${right}\n`), { at, cause: 'whitespace', advice: `"${right}"` }],
    ['another prefix', of(`sha-256:${hex}`), { at, cause: 'wrong-prefix', advice: `"${right}"` }],
    [
      'upper case, of the bytes that are served',
      of(`sha256:${archive.sha256.toUpperCase()}`, archive),
      { at, cause: 'uppercase', advice: `Write it as "sha256:${archive.sha256}".` },
    ],
    [
      'upper case, of others than those that are served',
      of(right.toUpperCase().replace('SHA', 'sha'), archive),
      { at, cause: 'uppercase', advice: `list "artifactChecksum": "sha256:${archive.sha256}"` },
    ],
    [
      'upper case, and a page in the place of the artifact',
      of(right.toUpperCase().replace('SHA', 'sha'), page),
      { at, cause: 'uppercase', advice: `"${right}"` },
    ],
    ['SHA-1', of(`sha1:${hex.slice(0, 40)}`), { at, cause: 'sha1', advice: 'appreg checksum' }],
    ['MD5', of(hex.slice(0, 32)), { at, cause: 'md5', advice: 'appreg checksum' }],
    ['SHA-224', of(`sha224:${hex.slice(0, 56)}`), { at, cause: 'sha224' }],
    ['SHA-384', of(`sha-384:${hex}${hex.slice(0, 32)}`), { at, cause: 'sha384' }],
    ['BLAKE3', of(`blake3:${hex}`), { at, cause: 'blake3' }],
    ['CRC-32', of('crc32:cbf43926'), { at, cause: 'crc32' }],
    ['SHA-512', of(`sha512:${hex}${hex}`), { at, cause: 'sha512' }],
    [
      'base64',
      of(`sha256-${Buffer.from(hex, 'hex').toString('base64')}`),
      { at, cause: 'sri-base64', advice: `"${right}"` },
    ],
    [
      'a placeholder',
      of('sha256:unknown'),
      { at, cause: 'placeholder', advice: 'appreg checksum', evidence: { repaired: null } },
    ],
    ['63 digits', of(right.slice(0, -1)), { at, cause: 'wrong-length', message: '63' }],
    ['a digit beyond f', of(`${right.slice(0, -1)}g`), { at, cause: 'not-hexadecimal' }],
    [
      'SHA-1 of the artifact itself: the value to list',
      of(`sha1:${archive.sha1}`, archive),
      { at, cause: 'sha1', message: 'SHA-1 digest of this artifact', advice: `sha256:${archive.sha256}` },
    ],
    [
      'MD5 of the artifact itself',
      of(archive.md5, archive),
      { at, cause: 'md5', message: 'MD5 digest of', advice: `sha256:${archive.sha256}` },
    ],
    [
      'SHA-1 of something else',
      of(hex.slice(0, 40), archive),
      { at, cause: 'sha1', message: 'by its length', advice: `sha256:${archive.sha256}` },
    ],
    [
      'a placeholder, and the artifact is there',
      of('sha256:unknown', archive),
      { at, cause: 'placeholder', advice: `sha256:${archive.sha256}` },
    ],
    [
      'a placeholder, and a page in the artifact’s place',
      of('sha256:unknown', page),
      { at, cause: 'placeholder', advice: 'appreg checksum' },
    ],
  ],
});
