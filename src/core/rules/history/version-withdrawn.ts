import { message } from '../../text/message.ts';
import { authorOrCopy } from '../owners.ts';
import { safeExcerpt } from '../../text/text.ts';
import { latestVersion } from '../../registry/precedence.ts';
import { semanticVersion } from '../../registry/semantic-version.ts';
import { isSemver, likelyVersion } from '../../registry/version.ts';
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
    const gone = earlier.filter(({ version }) => !listed.has(version) && !isCorrectedIn(listed, version));
    const newest = latestVersion(earlier.flatMap(({ version }) => semanticVersion(version) ?? []));
    const now = latestVersion(versions.flatMap(({ semver }) => semver ?? []));
    // The newest version counts as lost only if no higher one is listed.
    const lost = newest !== null && (now === null || now.compareTo(newest) < 0) ? newest.text : null;
    return gone.map(({ version, artifactUrl, artifactChecksum }) => ({
      at: '/versions',
      version,
      ...(version === lost ? { cause: 'newest' } : {}),
      message: message`Version ${safeExcerpt(version, 60)} was listed in ${safeExcerpt(earlierSource, 100)}, and is no longer listed.${
        version === lost
          ? ` It was the newest; ${now === null ? 'no version is left' : `the newest is now ${safeExcerpt(now.text, 60)}`}.`
          : ''
      }`,
      advice: message`List it again: ${JSON.stringify({ version, artifactUrl, artifactChecksum })}`,
      evidence: { version, artifactUrl, artifactChecksum, earlier: earlierSource },
    }));
  },
});

/** True for an invalid version whose correction is listed: subscribers were never offered the invalid one. */
export function isCorrectedIn(listed: ReadonlySet<string | null>, version: string): boolean {
  return !isSemver(version) && listed.has(likelyVersion(version));
}
