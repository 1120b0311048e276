import { message, safe } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import type { ListedVersions } from '../../registry/listed-versions.ts';
import type { VersionEntry } from '../../registry/version-entry.ts';
import { namesInPath, versionOfApp } from '../other-app.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  copy: { title: 'All versions are those of another app' },
  version: { title: 'A version is that of another app' },
  url: { title: 'A version has the artifact URL of another app' },
};
type Cause = keyof typeof CAUSES;

export const versionOfOtherApp = defineRule({
  id: 'version-of-other-app',
  title: 'Version of another app',
  on: 'metadata',
  needs: ['app', 'versions', 'listed', 'otherApps'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  causes: CAUSES,
  failsWhen:
    'a metadata file lists the artifact URL of another app: of the two, the one that the manifest lists later is named. Unless the URL contains the key of the other app, this is a note, since one file for several apps may be intended. Two apps with one metadata file have a rule of their own',
  why: 'One of the two is the wrong app: usually a file or a version was copied, and not changed.',
  examples: {
    bad: `// otherApp: { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
] }`,
    good: `// otherApp: { "version": "1.0.0", "artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz", "artifactChecksum": "sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730" }
{ "versions": [
  { "version": "1.0.0", "artifactUrl": "https://apps.example.com/clock/1.0.0.tar.gz", "artifactChecksum": "sha256:03779ded4059473cfab99c0ca9c7d98bf0d249acfa3689c8196642b959e568d7" }
] }`,
  },
  check({ app, versions, listed, otherApps }) {
    if (app === null || otherApps === null) return null;
    const problems = versions.flatMap((entry) => problemOf(entry, app, otherApps) ?? []);
    const [first] = problems;
    const others = new Set(problems.map(({ evidence }) => evidence?.['otherApp']));
    if (
      first === undefined ||
      problems.length < listed ||
      others.size > 1 ||
      problems.some(({ cause }) => cause === 'url')
    )
      return problems;
    const other = String(first.evidence?.['otherApp']);
    return {
      at: '/versions',
      cause: 'copy',
      ...(first.severity === undefined ? {} : { severity: first.severity }),
      message: message`The metadata file lists the same artifacts as that of the app “${safeExcerpt(other, 60)}”: one of the two is a copy.`,
      advice: message`List the artifacts of each app in its own metadata file. Do not publish the artifacts of one app under the key of another.`,
      evidence: { otherApp: other },
    };
  },
});

function problemOf(
  { index, version, digest, address, parts }: VersionEntry,
  app: string,
  listed: ListedVersions,
): Problem<Cause> | null {
  const other = address === null ? null : listed.withAddress(address, app);
  if (other === null) return null;
  const about = version === null ? {} : { version };
  const evidence = { otherApp: other.app, otherVersion: other.version };
  const at = `/versions/${index}/artifactUrl`;
  if (digest !== null && digest !== other.digest)
    return {
      ...about,
      at,
      cause: 'url',
      message: message`The artifact URL is that of ${safe(versionOfApp(other))}, but the checksum is another one: at most one of them can match.`,
      advice: message`List the URL of the artifact of this app. Do not change the checksum to that of the other app.`,
      evidence,
    };
  return {
    ...about,
    at,
    cause: 'version',
    // One file for several apps may be intended, unless its URL says that it belongs to the other one.
    ...(isOf(other.app, app, parts?.pathname ?? '') ? {} : { severity: 'note' as const }),
    message: message`The version is that of ${safe(versionOfApp(other))}: it has the same artifact URL.`,
    advice: message`List the artifact of this app, with its own URL and checksum.`,
    evidence,
  };
}

/** True if the path of a URL names an app, and not the own one. */
function isOf(app: string, own: string, path: string): boolean {
  const names = namesInPath(path);
  return names.includes(app) && !names.includes(own);
}
