import { areDistinct } from '../../text/distinct.ts';
import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { sameDigest } from '../../registry/baseline.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';
import { isTemplate } from '../urls/placeholder/placeholder.ts';
import type { VersionEntry } from '../../registry/version-entry.ts';

const CAUSES = {
  'same-checksum': { title: 'The versions have the same checksum' },
  'other-checksum': { title: 'The versions have different checksums' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

/** The entries with the artifact URL of an earlier entry. */
interface SharedUrl {
  /** The first entry of each other version. */
  others: Map<string | null, VersionEntry>;
  sameChecksum: boolean;
}

export const artifactUrlShared = defineRule({
  id: 'artifact-url-shared',
  title: 'Two versions with the same artifact URL',
  on: 'metadata',
  needs: ['versions'],
  severity: 'error',
  spec: '2.4',
  symptom: 'checksum-mismatch',
  owner: 'author',
  causes: CAUSES,
  failsWhen:
    'two versions have the same artifact URL, but different checksums. With the same checksum, this is a warning',
  why: 'One URL has one content, so at most one of the checksums can match.',
  examples: {
    bad: `{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" },
  { "version": "1.1.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:03779ded4059473cfab99c0ca9c7d98bf0d249acfa3689c8196642b959e568d7" }
] }`,
    good: `{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" },
  { "version": "1.1.0", "artifactUrl": "https://apps.example.com/echo/1.1.0.tar.gz", "artifactChecksum": "sha256:03779ded4059473cfab99c0ca9c7d98bf0d249acfa3689c8196642b959e568d7" }
] }`,
  },
  check({ versions }) {
    if (areDistinct(versions, ({ address }) => address)) return null;
    const firstByUrl = new Map<string, VersionEntry>();
    const sharedByUrl = new Map<string, SharedUrl>();
    for (const entry of versions) {
      const { address: url } = entry;
      if (url === null || entry.artifactChecksum === null) continue;
      const first = firstByUrl.get(url);
      if (first === undefined) {
        firstByUrl.set(url, entry);
        continue;
      }
      const shared = sharedByUrl.get(url) ?? { others: new Map(), sameChecksum: true };
      sharedByUrl.set(url, shared);
      shared.sameChecksum &&= sameDigest(entry.artifactChecksum, first.artifactChecksum);
      // The same version listed twice is reported by version-duplicate.
      if (entry.version !== first.version && !shared.others.has(entry.version)) shared.others.set(entry.version, entry);
    }
    const problems: Problem<Cause>[] = [];
    for (const [url, first] of firstByUrl) {
      const shared = sharedByUrl.get(url);
      // The same template for each version: url-placeholder reports it.
      if (shared === undefined || isTemplate(first.artifactUrl ?? '')) continue;
      for (const entry of shared.others.values()) problems.push(problem(first, entry, shared.sameChecksum));
    }
    return problems;
  },
});

function problem(first: VersionEntry, entry: VersionEntry, same: boolean): Problem<Cause> {
  return {
    at: `/versions/${entry.index}/artifactUrl`,
    ...(entry.version === null ? {} : { version: entry.version }),
    severity: same ? 'warning' : 'error',
    cause: same ? 'same-checksum' : 'other-checksum',
    message: message`Versions ${safeExcerpt(first.version ?? `#${first.index}`, 60)} and ${safeExcerpt(entry.version ?? `#${entry.index}`, 60)} have the same artifact URL${same ? '' : ', but not all versions with this URL have the same checksum'}.`,
    advice: message`Use a separate artifact and URL for each version.`,
    evidence: { url: entry.artifactUrl, otherVersion: first.version },
  };
}
