import type { VersionEntry } from '../rule.ts';
import { shorten } from '../../text/text.ts';
import { isSemver, withoutBuild } from '../../registry/version.ts';
import { defineRule } from '../rule.ts';

export const versionDuplicate = defineRule({
  id: 'version-duplicate',
  on: 'metadata',
  needs: ['versions'],
  severity: 'error',
  spec: '9',
  symptom: 'app-does-not-appear',
  failsWhen: 'the same version stands twice, or two versions have the same precedence (build metadata does not count)',
  why: 'A version must mean one artifact; which of the two a subscriber gets is chance.',
  check({ versions }) {
    const first = new Map<string, VersionEntry>();
    const texts = new Map<string, { checksum: string | null; alike: boolean }>();
    const extra: { entry: VersionEntry; other: VersionEntry; same: boolean }[] = [];
    for (const entry of versions) {
      const { version, artifactChecksum: checksum } = entry;
      if (version === null || !isSemver(version)) continue;
      const precedence = withoutBuild(version);
      const other = first.get(precedence);
      const text = texts.get(version);
      if (text) text.alike &&= text.checksum === checksum;
      else texts.set(version, { checksum, alike: true });
      if (other) extra.push({ entry, other, same: text !== undefined });
      else first.set(precedence, entry);
    }
    const problems = [];
    for (const { entry, other, same } of extra) {
      const version = entry.version!;
      // Across all its entries, so that their order makes no difference.
      const alike = same && texts.get(version)!.alike;
      problems.push({
        at: `/versions/${entry.index}/version`,
        version,
        cause: same ? (alike ? 'same-checksum' : 'other-checksum') : 'same-precedence',
        message: same
          ? `The version ${shorten(version, 60)} is listed twice${alike ? '' : ', with different checksums'}.`
          : `The versions ${shorten(other.version!, 60)} and ${shorten(version, 60)} have the same precedence.`,
        advice: alike
          ? 'Remove one of the two entries.'
          : 'Keep the entry that was published first; publish the other one as a new version.',
        evidence: { firstIndex: other.index, index: entry.index },
      });
    }
    return problems;
  },
});
