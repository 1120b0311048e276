import type { Problem, VersionEntry } from '../rule.ts';
import { shorten } from '../text.ts';
import { defineRule } from '../rule.ts';

export const artifactUrlShared = defineRule({
  id: 'artifact-url-shared',
  on: 'metadata',
  needs: ['versions'],
  severity: 'error',
  spec: '2.4',
  symptom: 'checksum-mismatch',
  when: 'two versions name one artifact URL with different checksums (with the same checksum: warning)',
  why: 'One URL has one content, so at most one of the checksums can match.',
  check({ versions }) {
    const first = new Map<string, VersionEntry>();
    const problems: Problem[] = [];
    for (const entry of versions) {
      if (entry.artifactUrl === null || entry.artifactChecksum === null) continue;
      const other = first.get(entry.artifactUrl);
      if (!other) {
        first.set(entry.artifactUrl, entry);
        continue;
      }
      // The same version listed twice is version-duplicate's to tell.
      if (other.version === entry.version) continue;
      const same = other.artifactChecksum === entry.artifactChecksum;
      problems.push({
        at: `/versions/${entry.index}/artifactUrl`,
        ...(entry.version === null ? {} : { version: entry.version }),
        severity: same ? 'warning' : 'error',
        cause: same ? 'same-checksum' : 'other-checksum',
        message: `The versions ${shorten(other.version ?? `#${other.index}`, 60)} and ${shorten(entry.version ?? `#${entry.index}`, 60)} name one artifact URL${same ? '' : ' with different checksums'}.`,
        advice: 'Give each version an artifact of its own, under a URL of its own.',
        evidence: { url: entry.artifactUrl, otherVersion: other.version },
      });
    }
    return problems;
  },
});
