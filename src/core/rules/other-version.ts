import { message } from '../text/message.ts';
import { type ArtifactFacts, type Content, isMissing } from '../facts/facts.ts';
import { safeExcerpt } from '../text/text.ts';
import type { Problem } from './rule.ts';
import type { VersionEntry } from '../registry/version-entry.ts';

/** The bytes match the entry of another version. Whether that entry has the right file determines what to move. */
export function otherVersion(
  facts: ArtifactFacts,
  content: Content,
  checksum: string,
  all: readonly VersionEntry[],
  artifacts: readonly ArtifactFacts[],
): Problem<'other-versions-artifact'> | null {
  const own = all.find((entry) => entry.artifactChecksum === checksum && entry.artifactUrl === facts.url);
  // Of a version that is listed twice, the other entry says nothing about the file.
  const other = all.find(
    (entry) => entry.artifactChecksum === `sha256:${content.sha256}` && entry.version !== own?.version,
  );
  if (other === undefined) return null;
  const [name = '', otherName = ''] = [own, other].map((entry) => safeExcerpt(entry?.version ?? '(unnamed)', 60));
  const there = artifacts[other.index]?.content;
  const found = there === undefined || isMissing(there) ? null : `sha256:${there.sha256}`;
  const evidence = { otherVersion: other.version };
  const swapped = found !== null && found === checksum;
  if (swapped)
    return {
      cause: 'other-versions-artifact',
      message: isMissing(facts.web)
        ? message`The file of version ${name} is that of ${otherName}, and the file of ${otherName} is that of ${name}.`
        : message`The URL of version ${name} serves the file of ${otherName}, and that of ${otherName} the file of ${name}.`,
      advice: message`Swap the two files, or the two artifactUrls. The checksums are correct: do not change them.`,
      evidence,
    };
  const right = found === other.artifactChecksum ? `; ${otherName} itself is correct` : '';
  return {
    cause: 'other-versions-artifact',
    message: message`${isMissing(facts.web) ? `The file of version ${name} is that` : `The URL of version ${name} serves the file`} of version ${otherName}${right}.`,
    advice: message`Put the file of ${name} (${safeExcerpt(checksum)}) at its URL, or correct its artifactUrl. Do not change the listed checksum: a published version never changes.`,
    evidence,
  };
}
