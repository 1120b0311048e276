import type { Content } from '../facts/facts.ts';
import { kindOfContent } from '../text/file-type.ts';
import { message, type SafeText } from '../text/message.ts';

/**
 * Advice for a version whose listed checksum is of no use: the one to list.
 * @param served the whole artifact as downloaded; null if it was not observed
 */
export function adviceToList(served: Content | null): SafeText {
  const found = archiveChecksum(served);
  if (found !== null) return message`If these are the published bytes, list "artifactChecksum": "${found}"`;
  return message`Hash the artifact and paste the line: appreg checksum <file|url>`;
}

/** The checksum of what was downloaded, if that may be an archive; otherwise null. */
export function archiveChecksum(served: Content | null): string | null {
  return served && kindOfContent(served.head) === 'gzip' ? `sha256:${served.sha256}` : null;
}
