import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createDigester } from '../../../../src/observe/digest/digest.ts';
import { digestOf } from '../../../../src/core/registry/checksum.ts';
import { checksumPlaceholder } from '../../../../src/core/rules/metadata/checksum-placeholder.ts';
import { digest } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const withHex = (hex: string) => ({ digest: digestOf(`sha256:${hex}`), served: null });
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
const digestOf256 = (text: string | Uint8Array) => withHex(sha256(text));
/** Zeros are listed, and these bytes are served. */
function served(bytes: Uint8Array) {
  const digester = createDigester(Infinity, { weak: true });
  digester.write(bytes);
  return { digest: '0'.repeat(64), served: digester.end() };
}
const archive = gzipSync('app');

ruleTable(checksumPlaceholder, {
  clean: [
    ['a digest', withHex(digest(1))],
    ['a digest of few distinct digits', withHex('0110100110010110100101100110100110010110011010010110100110010110')],
    ['a digest with a long run', withHex(`${'0'.repeat(40)}${digest(2).slice(0, 24)}`)],
    ['half and half', withHex(digest(3).slice(0, 32).repeat(2))],
    ['the digest of an empty file, and one is served', { ...served(Buffer.alloc(0)), digest: sha256('') }],
    ['malformed, which another rule reports', { digest: null, served: null }],
  ],
  faulty: [
    ['the digest of no bytes', digestOf256(''), { at: '/artifactChecksum', cause: 'empty-file' }],
    ['the digest of a line break', digestOf256('\n'), { cause: 'empty-file', message: 'line break' }],
    ['the digest of a message of GitHub', digestOf256('Not Found'), { cause: 'error-message' }],
    ['the digest of a message of its raw files', digestOf256('404: Not Found'), { cause: 'error-message' }],
    ['the digest of gzip without input', digestOf256(gzipSync('')), { cause: 'empty-archive' }],
    ['zeros', withHex('0'.repeat(64)), { cause: 'zeros' }],
    ['f', withHex('f'.repeat(64)), { cause: 'filler', severity: 'warning' }],
    ['deadbeef', withHex('deadbeef'.repeat(8)), { cause: 'filler', advice: 'appreg checksum' }],
    ['abcd', withHex('abcd'.repeat(16)), { cause: 'filler' }],
    ['counting', withHex('0123456789abcdef'.repeat(4)), { cause: 'filler' }],
    ['zeros, and an archive is served', served(archive), { cause: 'zeros', advice: `sha256:${sha256(archive)}` }],
    [
      'zeros, and a page is served',
      served(Buffer.from('<!doctype html>')),
      { cause: 'zeros', advice: 'appreg checksum' },
    ],
  ],
});
