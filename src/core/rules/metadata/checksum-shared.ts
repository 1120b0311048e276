import { areDistinct } from '../../text/distinct.ts';
import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { defineRule, type Problem } from '../rule.ts';
import type { VersionEntry } from '../../registry/version-entry.ts';

export const checksumShared = defineRule({
  id: 'checksum-shared',
  title: 'Two versions with the same checksum',
  on: 'metadata',
  needs: ['versions'],
  severity: 'note',
  spec: '2.4',
  symptom: null,
  owner: 'author',
  needsNewVersion: true,
  failsWhen: 'two versions list the same checksum',
  why: 'Two versions with the same bytes are usually a mistake in a pipeline.',
  examples: {
    bad: `{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" },
  { "version": "1.1.0", "artifactUrl": "https://apps.example.com/echo/1.1.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
    good: `{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" },
  { "version": "1.1.0", "artifactUrl": "https://apps.example.com/echo/1.1.0.tar.gz", "artifactChecksum": "sha256:03779ded4059473cfab99c0ca9c7d98bf0d249acfa3689c8196642b959e568d7" }
] }`,
  },
  check({ versions }) {
    if (areDistinct(versions, ({ digest }) => digest)) return null;
    const first = new Map<string, VersionEntry>();
    const problems: Problem<never>[] = [];
    for (const entry of versions) {
      const { digest } = entry;
      if (digest === null) continue;
      const other = first.get(digest);
      if (!other) first.set(digest, entry);
      else if (other.version !== entry.version && other.address !== entry.address) {
        problems.push({
          at: `/versions/${entry.index}/artifactChecksum`,
          ...(entry.version === null ? {} : { version: entry.version }),
          message: message`Versions ${safeExcerpt(other.version ?? '', 60)} and ${safeExcerpt(entry.version ?? '', 60)} list the same checksum.`,
          advice: message`If the version should contain changes, build it again and publish the next version.`,
          evidence: { otherVersion: other.version },
        });
      }
    }
    return problems;
  },
});
