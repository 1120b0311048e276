import { message, type SafeText } from '../../text/message.ts';
import { authorOrCopy } from '../owners.ts';
import { safeExcerpt } from '../../text/text.ts';
import { latestVersion } from '../../registry/precedence.ts';
import { semanticVersion } from '../../registry/semantic-version.ts';
import { sameDigest } from '../../registry/baseline.ts';
import { isCorrectedIn, respellingIn } from '../../registry/respelled.ts';
import type { PublishedVersion } from '../../facts/facts.ts';
import type { VersionEntry } from '../../registry/version-entry.ts';
import { defineRule } from '../rule.ts';

export const versionWithdrawn = defineRule({
  id: 'version-withdrawn',
  title: 'Published version that is no longer listed',
  on: 'metadata',
  needs: ['versions', 'earlier', 'earlierSource'],
  severity: 'error',
  spec: '2.4',
  symptom: null,
  owner: authorOrCopy,
  immutability: true,
  causes: {
    newest: { title: 'The newest version was removed' },
    respelled: { title: 'The version is written in a form that is not valid', fixable: true },
  },
  failsWhen: 'a published version is no longer listed',
  why: 'Old versions must be kept: users of this version can neither reinstall nor verify it.',
  examples: {
    bad: `// published: { "version": "1.1.0", "artifactUrl": "https://apps.example.com/echo/1.1.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
    good: `// published: { "version": "1.1.0", "artifactUrl": "https://apps.example.com/echo/1.1.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" },
  { "version": "1.1.0", "artifactUrl": "https://apps.example.com/echo/1.1.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
  },
  check({ versions, earlier, earlierSource }) {
    const listed = new Set(versions.map((entry) => entry.version));
    const published = earlier.filter(({ isUnserved }) => isUnserved !== true);
    const gone = published.filter(({ version }) => !listed.has(version) && !isCorrectedIn(listed, version));
    const newest = latestVersion(published.flatMap(({ version }) => semanticVersion(version) ?? []));
    const now = latestVersion(versions.flatMap(({ semver }) => semver ?? []));
    // The newest version counts as lost only if no higher one is listed.
    const lost = newest !== null && (now === null || now.compareTo(newest) < 0) ? newest.text : null;
    const entries = new Map(versions.toReversed().map((entry) => [entry.version, entry]));
    return gone.map((before) => {
      const { version, artifactUrl, artifactChecksum } = before;
      const respelling = entries.get(respellingIn(listed, version));
      const isLost = version === lost;
      const consequence = isLost
        ? ` It was the newest; ${now === null ? 'no version is left' : `the newest is now ${safeExcerpt(now.text, 60)}`}.`
        : '';
      const was = `Version ${safeExcerpt(version, 60)} was listed in ${safeExcerpt(earlierSource, 100)}`;
      const problem = {
        version,
        evidence: { version, artifactUrl, artifactChecksum, earlier: earlierSource },
      };
      if (respelling === undefined)
        return {
          ...problem,
          at: '/versions',
          ...(isLost && { cause: 'newest' as const }),
          message: message`${was}, and is no longer listed.${consequence}`,
          advice: message`List it again: ${entryOf(before)}`,
        };
      const text = respelling.version ?? '';
      return {
        ...problem,
        at: `/versions/${respelling.index}/version`,
        listedAs: text,
        cause: 'respelled' as const,
        symptom: 'app-does-not-appear' as const,
        message: message`${was}, and is now written “${safeExcerpt(text, 60)}”, which is not a semantic version.${consequence}`,
        advice: adviceForRespelled(before, respelling),
      };
    });
  },
});

/** One correction: of the text alone if the bytes are those that were published; another URL is another finding. */
function adviceForRespelled(before: PublishedVersion, { artifactChecksum }: VersionEntry): SafeText {
  return sameDigest(artifactChecksum, before.artifactChecksum)
    ? message`Write it as "${before.version}".`
    : message`Write the entry as it was published: ${entryOf(before)}`;
}

function entryOf({ version, artifactUrl, artifactChecksum }: PublishedVersion): string {
  return JSON.stringify({ version, artifactUrl, artifactChecksum });
}
