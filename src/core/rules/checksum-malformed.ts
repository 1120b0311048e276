import { checksumFault } from '../checksum.ts';
import { defineRule } from '../rule.ts';

export const checksumMalformed = defineRule({
  id: 'checksum-malformed',
  on: 'version',
  needs: ['checksum'],
  severity: 'error',
  spec: '2.2',
  symptom: 'checksum-mismatch',
  when: 'a checksum is not exactly `sha256:` and 64 lowercase hexadecimal digits; the cause is named: uppercase, no-prefix, sha1, md5, sha512, sri-base64, whitespace, placeholder, wrong-length',
  why: 'The service compares the text exactly; every installation of the version fails.',
  check({ checksum }) {
    const fault = checksumFault(checksum);
    if (!fault) return null;
    return {
      at: '/artifactChecksum',
      cause: fault.cause,
      message: fault.message,
      advice: fault.repaired
        ? `Write it as "${fault.repaired}".`
        : 'Hash the artifact and paste the line: appreg checksum <file|url>',
      evidence: { checksum, repaired: fault.repaired },
    };
  },
});
