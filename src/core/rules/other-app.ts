import { message, safe, type SafeText } from '../text/message.ts';
import { safeExcerpt } from '../text/text.ts';
import type { ListedVersion } from '../registry/listed-versions.ts';

/** The names in the path of a URL that may be keys of apps: its segments, with and without a version or suffix. */
export function namesInPath(path: string): string[] {
  return path
    .split('/')
    .flatMap((segment) => [segment, segment.replace(/(?:[-_.@]?v?\d+\.\d.*|\.[a-z.]+)$/i, '')])
    .filter((name) => name !== '');
}

/** A version of an app, for a sentence. */
export function versionOfApp({ app, version }: ListedVersion): SafeText {
  return message`“${safeExcerpt(app, 60)}” ${safeExcerpt(version ?? '(unnamed)', 60)}`;
}

/** The text of a mismatch whose bytes are the artifact of another app. */
export function otherAppsArtifact(other: ListedVersion): {
  cause: 'other-apps-artifact';
  message: SafeText;
  advice: SafeText;
  evidence: { otherApp: string; otherVersion: string | null };
} {
  return {
    cause: 'other-apps-artifact',
    message: message`The SHA-256 of the artifact is the one that another app lists: it is the artifact of ${safe(versionOfApp(other))}.`,
    advice: message`Put the artifact of this app at the URL, or correct its artifactUrl; the URLs of the two apps may be swapped. Keep the listed checksum: the other one belongs to another app.`,
    evidence: { otherApp: other.app, otherVersion: other.version },
  };
}
