import type { Problem, VersionEntry } from '../rule.ts';
import { shorten } from '../text.ts';
import { sameAddress } from '../url.ts';
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
    const byUrl = new Map<string, VersionEntry[]>();
    for (const entry of versions) {
      if (entry.artifactUrl === null || entry.artifactChecksum === null) continue;
      const url = sameAddress(entry.artifactUrl);
      const list = byUrl.get(url);
      if (!list) byUrl.set(url, [entry]);
      // The same version listed twice is version-duplicate's to tell.
      else if (!list.some((other) => other.version === entry.version)) list.push(entry);
    }
    const problems: Problem[] = [];
    for (const [first, ...others] of byUrl.values()) {
      const same = others.every((other) => other.artifactChecksum === first!.artifactChecksum);
      for (const entry of others) problems.push(problem(first!, entry, same));
    }
    return problems;
  },
});

function problem(first: VersionEntry, entry: VersionEntry, same: boolean): Problem {
  return {
    at: `/versions/${entry.index}/artifactUrl`,
    ...(entry.version === null ? {} : { version: entry.version }),
    severity: same ? 'warning' : 'error',
    cause: same ? 'same-checksum' : 'other-checksum',
    message: `The versions ${shorten(first.version ?? `#${first.index}`, 60)} and ${shorten(entry.version ?? `#${entry.index}`, 60)} name one artifact URL${same ? '' : ', and not all that do list the same checksum'}.`,
    advice: 'Give each version an artifact of its own, under a URL of its own.',
    evidence: { url: entry.artifactUrl, otherVersion: first.version },
  };
}
