import { message } from '../../text/message.ts';
import { fillerDigest, impossibleDigest } from '../../registry/checksum.ts';
import { defineRule } from '../rule.ts';
import { adviceToList } from '../advice-to-list.ts';

export const checksumPlaceholder = defineRule({
  id: 'checksum-placeholder',
  title: 'Checksum that no artifact has',
  on: 'version',
  needs: ['digest', 'served'],
  severity: 'error',
  spec: '2.2',
  symptom: 'checksum-mismatch',
  owner: 'author',
  causes: {
    zeros: { title: 'Zeros' },
    filler: { title: 'Repeated or counting digits' },
    'empty-file': { title: 'The digest of an empty file' },
    'empty-archive': { title: 'The digest of an archive without files' },
    'error-message': { title: 'The digest of an error message of a host' },
  },
  failsWhen:
    'a checksum is 64 zeros, or the digest of an empty file, of an archive without files, or of the message “Not Found”; other repeated or counting digits are a warning',
  why: 'No artifact has it, so every installation of the version fails.',
  examples: {
    bad: '{ "artifactChecksum": "sha256:0000000000000000000000000000000000000000000000000000000000000000" }',
    good: '{ "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }',
  },
  check({ digest, served }) {
    const found = digest === null ? null : (impossibleDigest(digest) ?? fillerDigest(digest));
    // A served file that has it is at fault itself.
    if (found === null || served?.sha256 === digest) return null;
    const { cause, is } = found;
    return {
      at: '/artifactChecksum',
      cause,
      // Examples and tests list such a digest.
      ...(cause === 'filler' ? { severity: 'warning' } : {}),
      message: message`The checksum is ${is}.`,
      advice: adviceToList(served),
      evidence: {
        checksum: `sha256:${digest}`,
        ...(served ? { found: `sha256:${served.sha256}`, bytes: served.bytes } : {}),
      },
    };
  },
});
