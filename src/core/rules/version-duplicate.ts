import type { VersionEntry } from '../rule.ts';
import { shorten } from '../text.ts';
import { isSemver, withoutBuild } from '../version.ts';
import { defineRule } from '../rule.ts';

export const versionDuplicate = defineRule({
  id: 'version-duplicate',
  on: 'metadata',
  needs: ['versions'],
  severity: 'error',
  spec: '9',
  symptom: 'app-does-not-appear',
  when: 'the same version stands twice, or two versions have the same precedence (build metadata does not count)',
  why: 'A version must mean one artifact; which of the two a subscriber gets is chance.',
  check({ versions }) {
    const first = new Map<string, VersionEntry>();
    const problems = [];
    for (const entry of versions) {
      if (entry.version === null || !isSemver(entry.version)) continue;
      const precedence = withoutBuild(entry.version);
      const other = first.get(precedence);
      if (!other) {
        first.set(precedence, entry);
        continue;
      }
      const same = other.version === entry.version;
      const alike = same && other.artifactChecksum === entry.artifactChecksum;
      problems.push({
        at: `/versions/${entry.index}/version`,
        version: entry.version,
        cause: same ? (alike ? 'same-checksum' : 'other-checksum') : 'same-precedence',
        message: same ? `The version ${shorten(entry.version, 60)} is listed twice${alike ? '' : ', with different checksums'}.` : `The versions ${shorten(other.version!, 60)} and ${shorten(entry.version, 60)} have the same precedence.`,
        advice: alike ? 'Remove one of the two entries.' : 'Keep the entry that was published first; publish the other one as a new version.',
        evidence: { firstIndex: other.index, index: entry.index },
      });
    }
    return problems;
  },
});
