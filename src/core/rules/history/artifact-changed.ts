import { message } from '../../text/message.ts';
import { isDigestForm, matchVersions, sameDigest } from '../../registry/baseline.ts';
import { safeExcerpt } from '../../text/text.ts';
import { defineRule, type Problem } from '../rule.ts';

export const artifactChanged = defineRule({
  id: 'artifact-changed',
  title: 'Published version with a changed checksum',
  on: 'metadata',
  needs: ['versions', 'earlier', 'earlierSource'],
  severity: 'error',
  spec: '2.4',
  symptom: 'checksum-mismatch',
  owner: 'author',
  immutability: true,
  failsWhen: 'the checksum of a published version has changed',
  why: 'Published artifacts are immutable: for subscribers with the previous one, the service reports tampering.',
  examples: {
    bad: `// published: { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:03779ded4059473cfab99c0ca9c7d98bf0d249acfa3689c8196642b959e568d7" }
] }`,
    good: `// published: { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
  },
  check({ versions, earlier, earlierSource }) {
    const problems: Problem<never>[] = [];
    for (const { entry, before } of matchVersions(versions, earlier)) {
      // Replacing a placeholder changes nothing that subscribers could have verified.
      if (entry.artifactChecksum === null || !isDigestForm(before.artifactChecksum)) continue;
      if (sameDigest(entry.artifactChecksum, before.artifactChecksum)) continue;
      problems.push({
        at: `/versions/${entry.index}/artifactChecksum`,
        version: before.version,
        message: before.isUnserved
          ? message`Version ${safeExcerpt(before.version, 60)} is stored in ${safeExcerpt(earlierSource, 100)} with a different checksum than the one that is served.`
          : message`Version ${safeExcerpt(before.version, 60)} was published with a different checksum.`,
        advice: before.isUnserved
          ? message`List what is served ("${entry.artifactChecksum}") in ${safeExcerpt(earlierSource, 100)}, unless the host has the wrong files. A changed artifact is a new version.`
          : message`Restore the artifact and its checksum ("${before.artifactChecksum}"), and publish the change as a new version.`,
        evidence: { published: before.artifactChecksum, listed: entry.artifactChecksum, earlier: earlierSource },
      });
    }
    return problems;
  },
});
