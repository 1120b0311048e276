import { defineRule } from '../rule.ts';

export const documentUnreadable = defineRule({
  id: 'document-unreadable',
  on: 'document',
  needs: ['reading'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  hides: true,
  when: 'a manifest or metadata file is not JSON; the cause is named: empty, html-page, git-lfs-pointer, xml-error, not-utf8, truncated, comment, trailing-comma, …',
  why: 'The service cannot read the file: a broken manifest stops the whole registry, a broken metadata file makes its app vanish.',
  check({ reading }) {
    const { fault } = reading;
    if (!fault) return null;
    return {
      message: fault.message,
      advice: fault.advice,
      cause: fault.cause,
      offset: fault.offset,
      evidence: fault.evidence ?? {},
    };
  },
});
