import { isChecksum } from '../../registry/checksum.ts';
import { shorten } from '../../text/text.ts';
import { defineRule, type Problem, type VersionEntry } from '../rule.ts';

export const checksumShared = defineRule({
  id: 'checksum-shared',
  on: 'metadata',
  needs: ['versions'],
  severity: 'note',
  spec: '2.4',
  symptom: null,
  owner: 'author',
  failsWhen: 'two versions list the same bytes',
  why: 'Two versions with the same bytes are usually a mistake in a pipeline.',
  check({ versions }) {
    const first = new Map<string, VersionEntry>();
    const problems: Problem<never>[] = [];
    for (const entry of versions) {
      const { artifactChecksum: checksum } = entry;
      if (checksum === null || !isChecksum(checksum)) continue;
      const other = first.get(checksum);
      if (!other) first.set(checksum, entry);
      else if (other.version !== entry.version && other.artifactUrl !== entry.artifactUrl) {
        problems.push({
          at: `/versions/${entry.index}/artifactChecksum`,
          ...(entry.version === null ? {} : { version: entry.version }),
          message: `The versions ${shorten(other.version ?? '', 60)} and ${shorten(entry.version ?? '', 60)} list the same bytes.`,
          advice: 'If the version should contain changes, build it again and publish the next version.',
          evidence: { otherVersion: other.version },
        });
      }
    }
    return problems;
  },
});
