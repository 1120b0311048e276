import { checksumMalformed } from '../../../../src/core/rules/metadata/checksum-malformed.ts';
import { digestOf } from '../../../../src/core/registry/checksum.ts';
import type { Content } from '../../../../src/core/facts/facts.ts';
import { createDigester } from '../../../../src/observe/digest/digest.ts';
import { digest } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { entry, tgz } from '../../../support/tar-builder.ts';

const hex = digest(1);
const validChecksum = `sha256:${hex}`;
const CHECKSUM_POINTER = '/artifactChecksum';
const withChecksum = (checksum: string, served: Content | null = null) => ({
  checksum,
  digest: digestOf(checksum),
  served,
});
function content(bytes: Uint8Array): Content {
  const digester = createDigester(Infinity, { weak: true });
  digester.write(bytes);
  return digester.end();
}
const archive = content(tgz(entry('app.js', '1')));
const page = content(Buffer.from('<!doctype html><title>Sign in</title>'));

// test/core/registry/checksum.test.ts covers each malformed form with its cause and correction.
ruleTable(checksumMalformed, {
  clean: [
    ['a valid checksum', withChecksum(validChecksum)],
    ['digits alone', withChecksum(`sha256:${'1234567890'.repeat(7).slice(0, 64)}`)],
    ['few distinct digits', withChecksum(`sha256:${'ab'.repeat(32)}`)],
    ['zeros, which another rule reports', withChecksum(`sha256:${'0'.repeat(64)}`)],
  ],
  faulty: [
    ['zeros without the prefix', withChecksum('0'.repeat(64)), { cause: 'placeholder', message: 'a placeholder' }],
    ['zeros, and an archive is served', withChecksum('0'.repeat(64), archive), { advice: `sha256:${archive.sha256}` }],
    [
      'upper case',
      withChecksum(validChecksum.toUpperCase().replace('SHA', 'sha')),
      { at: CHECKSUM_POINTER, cause: 'uppercase', advice: `"${validChecksum}"`, evidence: { repaired: validChecksum } },
    ],
    ['no prefix', withChecksum(hex), { at: CHECKSUM_POINTER, cause: 'no-prefix', advice: `"${validChecksum}"` }],
    [
      'white space',
      withChecksum(`${validChecksum}\n`),
      { at: CHECKSUM_POINTER, cause: 'whitespace', advice: `"${validChecksum}"` },
    ],
    [
      'another prefix',
      withChecksum(`sha-256:${hex}`),
      { at: CHECKSUM_POINTER, cause: 'wrong-prefix', advice: `"${validChecksum}"` },
    ],
    [
      'upper case, of the bytes that are served',
      withChecksum(`sha256:${archive.sha256.toUpperCase()}`, archive),
      { at: CHECKSUM_POINTER, cause: 'uppercase', advice: `Write it as "sha256:${archive.sha256}".` },
    ],
    [
      'upper case, of others than those that are served',
      withChecksum(validChecksum.toUpperCase().replace('SHA', 'sha'), archive),
      { at: CHECKSUM_POINTER, cause: 'uppercase', advice: `list "artifactChecksum": "sha256:${archive.sha256}"` },
    ],
    [
      'upper case, and a page in the place of the artifact',
      withChecksum(validChecksum.toUpperCase().replace('SHA', 'sha'), page),
      { at: CHECKSUM_POINTER, cause: 'uppercase', advice: `"${validChecksum}"` },
    ],
    [
      'SHA-1',
      withChecksum(`sha1:${hex.slice(0, 40)}`),
      { at: CHECKSUM_POINTER, cause: 'sha1', advice: 'appreg checksum' },
    ],
    ['MD5', withChecksum(hex.slice(0, 32)), { at: CHECKSUM_POINTER, cause: 'md5', advice: 'appreg checksum' }],
    ['SHA-224', withChecksum(`sha224:${hex.slice(0, 56)}`), { at: CHECKSUM_POINTER, cause: 'sha224' }],
    ['SHA-384', withChecksum(`sha-384:${hex}${hex.slice(0, 32)}`), { at: CHECKSUM_POINTER, cause: 'sha384' }],
    ['BLAKE3', withChecksum(`blake3:${hex}`), { at: CHECKSUM_POINTER, cause: 'blake3' }],
    ['CRC-32', withChecksum('crc32:cbf43926'), { at: CHECKSUM_POINTER, cause: 'crc32' }],
    ['SHA-512', withChecksum(`sha512:${hex}${hex}`), { at: CHECKSUM_POINTER, cause: 'sha512' }],
    [
      'base64',
      withChecksum(`sha256-${Buffer.from(hex, 'hex').toString('base64')}`),
      { at: CHECKSUM_POINTER, cause: 'sri-base64', advice: `"${validChecksum}"` },
    ],
    [
      'a placeholder',
      withChecksum('sha256:unknown'),
      { at: CHECKSUM_POINTER, cause: 'placeholder', advice: 'appreg checksum', evidence: { repaired: null } },
    ],
    [
      '63 digits',
      withChecksum(validChecksum.slice(0, -1)),
      { at: CHECKSUM_POINTER, cause: 'wrong-length', message: '63' },
    ],
    [
      'a digit beyond f',
      withChecksum(`${validChecksum.slice(0, -1)}g`),
      { at: CHECKSUM_POINTER, cause: 'not-hexadecimal' },
    ],
    [
      'SHA-1 of the artifact itself: the value to list',
      withChecksum(`sha1:${archive.sha1}`, archive),
      {
        at: CHECKSUM_POINTER,
        cause: 'sha1',
        message: 'SHA-1 digest of this artifact',
        advice: `sha256:${archive.sha256}`,
      },
    ],
    [
      'MD5 of the artifact itself',
      withChecksum(archive.md5, archive),
      { at: CHECKSUM_POINTER, cause: 'md5', message: 'MD5 digest of', advice: `sha256:${archive.sha256}` },
    ],
    [
      'SHA-1 of something else',
      withChecksum(hex.slice(0, 40), archive),
      {
        at: CHECKSUM_POINTER,
        cause: 'sha1',
        message: 'not SHA-1 (by the length of the digest)',
        advice: `sha256:${archive.sha256}`,
      },
    ],
    [
      'a placeholder, and the artifact is there',
      withChecksum('sha256:unknown', archive),
      { at: CHECKSUM_POINTER, cause: 'placeholder', advice: `sha256:${archive.sha256}` },
    ],
    [
      'a placeholder, and a page in the artifact’s place',
      withChecksum('sha256:unknown', page),
      { at: CHECKSUM_POINTER, cause: 'placeholder', advice: 'appreg checksum' },
    ],
  ],
});
