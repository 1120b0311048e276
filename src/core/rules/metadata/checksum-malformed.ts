import { message, type SafeText } from '../../text/message.ts';
import { checksumError, impossibleDigest } from '../../registry/checksum.ts';
import type { Content } from '../../facts/facts.ts';
import { defineRule } from '../rule.ts';
import { adviceToList, archiveChecksum } from '../advice-to-list.ts';

export const checksumMalformed = defineRule({
  id: 'checksum-malformed',
  title: 'Malformed checksum',
  on: 'version',
  needs: ['checksum', 'digest', 'served'],
  severity: 'error',
  spec: '2.2',
  symptom: 'checksum-mismatch',
  owner: 'author',
  causes: {
    uppercase: { title: 'The digest is in uppercase', fixable: true },
    'no-prefix': { title: 'The prefix "sha256:" is missing', fixable: true },
    'wrong-prefix': { title: 'The prefix is not exactly "sha256:"', fixable: true },
    whitespace: { title: 'White space around or inside the checksum', fixable: true },
    'sri-base64': { title: 'The digest is in base64', fixable: true },
    md5: { title: 'An MD5 digest' },
    sha1: { title: 'A SHA-1 digest' },
    sha224: { title: 'A SHA-224 digest' },
    sha384: { title: 'A SHA-384 digest' },
    sha512: { title: 'A SHA-512 digest' },
    'blake*': { title: 'A BLAKE digest' },
    'crc*': { title: 'A CRC checksum' },
    placeholder: { title: 'The checksum is empty or a placeholder' },
    'wrong-length': { title: 'The digest does not have 64 digits' },
    'not-hexadecimal': { title: 'The digest is not hexadecimal' },
  },
  failsWhen: 'a checksum is not exactly `sha256:` and 64 lowercase hexadecimal digits',
  why: 'The service compares the text exactly, so every installation of the version fails.',
  examples: {
    bad: '{ "artifactChecksum": "SHA256:7D865E959B2466918C9863AFCA942D0FB89D7C9AC0C99BAFC3749504DED97730" }',
    good: '{ "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }',
  },
  check({ checksum, digest, served }) {
    if (digest !== null) return null;
    const fault = checksumError(checksum);
    if (!fault) return null;
    const impossible = fault.repaired === null ? null : impossibleDigest(fault.repaired.slice('sha256:'.length));
    // In the right form it would still be the digest of no artifact.
    if (impossible !== null)
      return {
        at: '/artifactChecksum',
        cause: 'placeholder',
        message: message`The checksum is ${impossible.is}.`,
        advice: adviceToList(served),
        evidence: { checksum },
      };
    const weak = served && weakDigestOf(checksum, served);
    return {
      at: '/artifactChecksum',
      cause: fault.cause,
      message: weak
        ? message`This is the ${weak} digest of this artifact; the algorithm must be SHA-256.`
        : fault.message,
      advice: adviceFor(fault.repaired, served),
      evidence: {
        checksum,
        repaired: fault.repaired,
        ...(served ? { found: `sha256:${served.sha256}`, bytes: served.bytes } : {}),
      },
    };
  },
});

/** @param repaired the listed digest in the right form */
function adviceFor(repaired: string | null, served: Content | null): SafeText {
  const found = archiveChecksum(served);
  // If the bytes differ, the same digest in another spelling would be wrong as well.
  if (repaired !== null && (found === null || found === repaired)) return message`Write it as "${repaired}".`;
  return adviceToList(served);
}

/** The algorithm whose digest of these bytes is listed, or null. */
function weakDigestOf(checksum: string, { sha1, md5 }: Content): 'SHA-1' | 'MD5' | null {
  const digits = /(?<![0-9a-f])([0-9a-f]+)$/i.exec(checksum.trim())?.[1]?.toLowerCase() ?? '';
  if (digits.length === 40 && digits === sha1) return 'SHA-1';
  return digits.length === 32 && digits === md5 ? 'MD5' : null;
}
