import { message } from '../../text/message.ts';
import { checksumError, digestOf, placeholderOf } from '../../registry/checksum.ts';
import { defineRule } from '../rule.ts';

export const checksumPlaceholder = defineRule({
  id: 'checksum-placeholder',
  title: 'Placeholder instead of a checksum',
  on: 'version',
  needs: ['checksum', 'digest'],
  severity: 'warning',
  spec: null,
  symptom: 'checksum-mismatch',
  owner: 'author',
  causes: {
    'empty-file': { title: 'The digest of an empty file' },
    filler: { title: 'Repeated or counting digits' },
  },
  failsWhen: 'a checksum is that of an empty file, or a placeholder such as 64 zeros',
  why: 'No real artifact has it: it was computed without a file.',
  examples: {
    bad: '{ "artifactChecksum": "sha256:0000000000000000000000000000000000000000000000000000000000000000" }',
    good: '{ "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }',
  },
  check({ checksum, digest: listed }) {
    // In another form it is the same placeholder: checksum-malformed reports only the form.
    const digest = listed ?? digestOf(checksumError(checksum)?.repaired ?? '');
    const cause = digest === null ? null : placeholderOf(digest);
    if (cause === null) return null;
    return {
      at: '/artifactChecksum',
      cause,
      message:
        cause === 'empty-file'
          ? message`This is the checksum of an empty file.`
          : message`This checksum is a placeholder, not a digest.`,
      advice: message`Hash the artifact and paste the line: appreg checksum <file|url>`,
    };
  },
});
