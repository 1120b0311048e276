import { digestOf, EMPTY_SHA256 } from '../../registry/checksum.ts';
import { defineRule } from '../rule.ts';
import { checksumMalformed } from './checksum-malformed.ts';

export const checksumPlaceholder = defineRule({
  id: 'checksum-placeholder',
  on: 'version',
  needs: ['checksum'],
  severity: 'warning',
  spec: null,
  symptom: 'checksum-mismatch',
  owner: 'author',
  supersededBy: [checksumMalformed],
  causes: {
    'empty-file': { title: 'The digest of an empty file' },
    filler: { title: 'Repeated or counting digits' },
  },
  failsWhen: 'a checksum is that of an empty file, or a placeholder such as 64 zeros',
  why: 'No real artifact has it: it was computed without a file.',
  check({ checksum }) {
    const digest = digestOf(checksum);
    if (digest === null) return null;
    const cause =
      digest === EMPTY_SHA256
        ? 'empty-file'
        : /^(.{1,8}?)\1+$/.test(digest) || '0123456789abcdef'.repeat(4) === digest
          ? 'filler'
          : null;
    if (!cause) return null;
    return {
      at: '/artifactChecksum',
      cause,
      message:
        cause === 'empty-file'
          ? 'This is the checksum of an empty file.'
          : 'This checksum is a placeholder, not a digest.',
      advice: 'Hash the artifact and paste the line: appreg checksum <file|url>',
    };
  },
});
