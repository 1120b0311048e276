import { areDistinct } from '../../text/distinct.ts';
import { type SafeText, message } from '../../text/message.ts';
import { sameDigest } from '../../registry/baseline.ts';
import { shorten, safeExcerpt } from '../../text/text.ts';
import { withoutBuild } from '../../registry/version.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  'same-checksum': { title: 'The same version with the same checksum' },
  'other-checksum': { title: 'The same version with different checksums' },
  'same-precedence': { title: 'Two versions with the same precedence' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

interface NamedEntry {
  version: string;
  index: number;
}

export const versionDuplicate = defineRule({
  id: 'version-duplicate',
  title: 'Version that is listed twice',
  on: 'metadata',
  needs: ['versions'],
  severity: 'error',
  spec: '9',
  symptom: 'app-does-not-appear',
  owner: 'author',
  causes: CAUSES,
  failsWhen: 'a version is listed twice, or two versions have the same precedence (build metadata is ignored)',
  why: 'A version must have one artifact; which of the two a subscriber gets is undefined.',
  examples: {
    bad: `{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" },
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
    good: `{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" },
  { "version": "1.0.1", "artifactUrl": "https://apps.example.com/echo/1.0.1.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
  },
  check({ versions }) {
    // Valid versions of the same precedence are the same text, up to their build metadata.
    if (areDistinct(versions, ({ version }) => version && withoutBuild(version))) return null;
    const first = new Map<string, NamedEntry>();
    const texts = new Map<string, { checksum: string | null; alike: boolean }>();
    const extra: { entry: NamedEntry; other: NamedEntry; same: boolean }[] = [];
    for (const { semver, index, artifactChecksum: checksum } of versions) {
      if (semver === null) continue;
      const version = semver.text;
      const entry = { version, index };
      const precedence = withoutBuild(version);
      const other = first.get(precedence);
      const text = texts.get(version);
      if (text) text.alike &&= sameDigest(text.checksum, checksum);
      else texts.set(version, { checksum, alike: true });
      if (other) extra.push({ entry, other, same: text !== undefined });
      else first.set(precedence, entry);
    }
    // The checksums are compared across all entries, so that their order makes no difference.
    return extra.map(({ entry, other, same }) =>
      problem(entry, other, same ? causeOf(texts.get(entry.version)) : 'same-precedence'),
    );
  },
});

function causeOf(checksums: { alike: boolean } | undefined): Cause {
  return checksums?.alike === true ? 'same-checksum' : 'other-checksum';
}

function problem(entry: NamedEntry, other: NamedEntry, cause: Cause): Problem<Cause> {
  const name = shorten(entry.version, 60);
  const messages: Readonly<Record<Cause, SafeText>> = {
    'same-checksum': message`Version ${name} is listed twice.`,
    'other-checksum': message`Version ${name} is listed twice, with different checksums.`,
    'same-precedence': message`Versions ${safeExcerpt(other.version, 60)} and ${name} have the same precedence.`,
  };
  return {
    at: `/versions/${entry.index}/version`,
    version: entry.version,
    cause,
    message: messages[cause],
    advice:
      cause === 'same-checksum'
        ? message`Remove one of the two entries.`
        : message`Keep the entry that was published first; publish the other one as a new version.`,
    evidence: { firstIndex: other.index, index: entry.index },
  };
}
