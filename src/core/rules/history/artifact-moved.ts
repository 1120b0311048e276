import { message } from '../../text/message.ts';
import { matchVersions, sameDigest } from '../../registry/baseline.ts';
import { safeExcerpt } from '../../text/text.ts';
import { addressOf } from '../../url/signed-url.ts';
import { defineRule, type Problem } from '../rule.ts';

export const artifactMoved = defineRule({
  id: 'artifact-moved',
  title: 'Published version with a changed URL',
  on: 'metadata',
  needs: ['versions', 'earlier', 'earlierSource'],
  severity: 'warning',
  spec: '2.4',
  symptom: null,
  owner: 'author',
  immutability: true,
  failsWhen: 'the URL of a published version has changed, but not its checksum',
  why: 'The bytes are the same, but the previous URL may no longer work.',
  examples: {
    bad: `// published: { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://cdn.example.com/echo.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
    good: `// published: { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
  },
  check({ versions, earlier, earlierSource }) {
    const problems: Problem<never>[] = [];
    for (const { entry, before } of matchVersions(versions, earlier)) {
      if (entry.artifactUrl === null || entry.artifactChecksum === null) continue;
      if (addressOf(entry.artifactUrl) === addressOf(before.artifactUrl)) continue;
      if (!sameDigest(entry.artifactChecksum, before.artifactChecksum)) continue;
      problems.push({
        at: `/versions/${entry.index}/artifactUrl`,
        version: before.version,
        message: message`The artifact of version ${safeExcerpt(before.version, 60)} was published at a different URL.`,
        advice: message`Keep the previous URL working as well.`,
        evidence: { published: before.artifactUrl, listed: entry.artifactUrl, earlier: earlierSource },
      });
    }
    return problems;
  },
});
